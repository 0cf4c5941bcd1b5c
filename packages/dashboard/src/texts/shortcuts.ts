// The texts of the list of shortcuts, which is loaded when it is opened.
export const shortcuts = {
  title: 'Keyboard shortcuts',
  letters: 'Single letters',
  lettersHint: 'Switch them off if they get in the way of your tools.',
  palette: 'Search or go to',
  filter: 'Filter the list',
  create: 'Create',
  rows: 'Next and previous row',
  open: 'Open the row',
  help: 'This list',
  closes: 'Close one thing',
};
