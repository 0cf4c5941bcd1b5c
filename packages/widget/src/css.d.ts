declare module '*.css' {
  /** The build shortens the style sheet and passes it as a text. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the build gives a style sheet this form
  export default text;
}
