// The path a user returns to after signing in. It comes from the URL, so it is checked: only paths
// of this application are allowed.

const PATH = /^\/(?![/\\])[\w\-./~%?&=:,+@*!$'();]*$/;

export function checkedNext(value: string | undefined): string | null {
  if (value === undefined || !PATH.test(value)) return null;
  // A browser treats some of these as another host; the result must stay on this one.
  const base = 'http://this-origin.invalid';
  const url = URL.canParse(value, base) ? new URL(value, base) : null;
  return url?.origin === base && !url.pathname.startsWith('//') ? value : null;
}
