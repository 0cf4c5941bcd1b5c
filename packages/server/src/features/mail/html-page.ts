// An email's HTML. It uses tables and inline styles, because email clients support little else. The
// colours work in both light and dark mode. The link is also shown as text, for clients that don't
// show buttons.
import { escaped } from '@keyrail/reference/html.ts';

const INK = '#1b2430';
const QUIET = '#5b6675';
const ACCENT = '#2456d6';

/** The parts of an email, from top to bottom. */
export type MailParts = {
  subject: string;
  paragraphs: string[];
  button?: { label: string; url: string };
  small: string;
};

export function htmlPage({ subject, paragraphs, button, small }: MailParts): string {
  const body = paragraphs.map(
    (text) => `<p style="margin:0 0 16px;font-size:16px;line-height:1.5">${escaped(text)}</p>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escaped(subject)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #0f141b !important; }
  .card { background: #18202a !important; color: #e8edf3 !important; }
  .brand { color: #8fb0ff !important; }
  .quiet, .quiet a { color: #9aa7b6 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f2f4f7">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="page"
  style="background:#f2f4f7">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="card"
  style="max-width:520px;background:#ffffff;color:${INK};border-radius:12px;
  font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<tr><td style="padding:32px;word-break:break-word">
<p class="brand" style="margin:0 0 24px;font-size:15px;font-weight:700;letter-spacing:.02em;
color:${ACCENT}">Keyrail</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:650">${escaped(subject)}</h1>
${body.join('\n')}
${button ? buttonHtml(button) : ''}
<p class="quiet" style="margin:24px 0 0;font-size:13px;line-height:1.5;color:${QUIET}">
${escaped(small)}</p>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

const buttonHtml = ({ label, url }: { label: string; url: string }): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 16px"><tr>
<td style="border-radius:8px;background:${ACCENT}">
<a href="${escaped(url)}" style="display:inline-block;padding:12px 20px;font-size:16px;
font-weight:600;color:#ffffff;text-decoration:none">${escaped(label)}</a></td></tr></table>
<p class="quiet" style="margin:0;font-size:13px;line-height:1.5;color:${QUIET};
word-break:break-all">Or paste this link into your browser:<br>
<a href="${escaped(url)}" style="color:${QUIET}">${escaped(url)}</a></p>`;
