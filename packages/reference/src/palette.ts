// The page's colours for light and dark mode, and its icon.

export const colours = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --side: #f7f8fa; --card: #f6f7f9; --edge: #e3e6eb; --edge-strong: #cfd5dd;
  --ink: #1a2230; --soft: #465264; --dim: #66728a; --accent: #3550c8; --accent-soft: #edf0fd;
  --get: #16704a; --post: #2a53c5; --patch: #8a5a05; --delete: #b3313d;
  --get-soft: #e5f4ec; --post-soft: #e8eefc; --patch-soft: #faf0da; --delete-soft: #fcebec;
  --json-key: #3f4d63; --json-text: #16704a; --json-number: #8a5a05;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0f1319; --side: #0c0f14; --card: #161b23; --edge: #262d38; --edge-strong: #3a4454;
    --ink: #e6eaf0; --soft: #b6c0ce; --dim: #8b97a9; --accent: #93a8ff; --accent-soft: #1c2440;
    --get: #6fd3a3; --post: #9db4ff; --patch: #e6bd6a; --delete: #f5929a;
    --get-soft: #12291f; --post-soft: #1a2340; --patch-soft: #2b2312; --delete-soft: #33191d;
    --json-key: #b9c4d6; --json-text: #7fd6ab; --json-number: #e6bd6a;
  }
}
`;

export const referenceIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#3d5bd9"/>
<path d="M5 10h22M5 22h22M10 10v12M22 10v12" fill="none" stroke="#fff" stroke-width="2.4"
 stroke-linecap="round"/><circle cx="16" cy="16" r="3.4" fill="#fff"/></svg>
`;
