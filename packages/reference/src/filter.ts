// The page's only script, which filters the menu. Without scripts, the filter field stays hidden.
// The content security policy allows exactly this script, by its hash.

/** Shows only the entries whose title, path, method or group contains every word typed. */
export const filterScript = `
(() => {
  const field = document.getElementById('menu-filter');
  const none = document.getElementById('menu-none');
  const groups = [...document.querySelectorAll('nav details')].map((group) => ({
    group,
    entries: [...group.querySelectorAll('li')].map((entry) => ({
      entry,
      text: [group.firstElementChild, entry].map((each) => each.textContent).join(' ') +
        ' ' + entry.firstElementChild.title,
    })),
  }));
  const apply = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let found = 0;
    for (const { group, entries } of groups) {
      let shown = 0;
      for (const { entry, text } of entries) {
        entry.hidden = !words.every((word) => text.toLowerCase().includes(word));
        if (!entry.hidden) shown += 1;
      }
      group.hidden = shown === 0;
      if (words.length > 0 && shown > 0) group.open = true;
      found += shown;
    }
    document.getElementById('menu-sections').hidden = words.length > 0;
    none.textContent = found === 0 ? 'No matching endpoints.' : '';
  };
  field.addEventListener('input', apply);
  field.addEventListener('keydown', (event) => {
    const first = document.querySelector('nav details:not([hidden]) li:not([hidden]) a');
    if (event.key === 'Enter' && field.value !== '' && first) first.click();
  });
  field.parentElement.hidden = false;
  apply();
})();
`;
