// Strings for the list of shortcuts. They are only loaded when it is opened.
export const shortcuts = {
  title: 'Keyboard shortcuts',
  letters: 'Single-letter shortcuts',
  lettersHint: 'Turn these off if they clash with a screen reader or another tool.',
  palette: 'Open search',
  filter: 'Filter the list',
  create: 'Create',
  rows: 'Next or previous row',
  open: 'Open the selected row',
  help: 'Show this list',
  closes: 'Close the open dialog or menu',
};
