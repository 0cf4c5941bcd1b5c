// The texts of the dialog in a tab that another tab has overtaken, loaded when it is shown.
export const overtaken = {
  title: (name: string) => `This browser now works in ${name}`,
  text: (name: string) =>
    `Another tab switched the workspace. This tab shows ${name} and stopped, so that nothing changes in the wrong place.`,
  another: 'another workspace',
  go: (name: string) => `Go to ${name}`,
  stay: (name: string) => `Work in ${name} again`,
};
