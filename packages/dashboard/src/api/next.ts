// The path to open after sign-in. It comes from the URL, so only paths within this application are
// accepted.

const PATH = /^\/(?![/\\])[\w\-./~%?&=:,+@*!$'();]*$/;

export function checkedNext(value: string | undefined): string | null {
  if (value === undefined || !PATH.test(value)) return null;
  // Browsers resolve some paths, such as "//evil.example", to a different host. To detect them, the
  // path is resolved against a made-up origin.
  const base = 'http://this-origin.invalid';
  const url = URL.canParse(value, base) ? new URL(value, base) : null;
  return url?.origin === base && !url.pathname.startsWith('//') ? value : null;
}
