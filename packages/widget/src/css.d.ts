declare module '*.css' {
  /** The build minifies the style sheet and imports it as text. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the build exports the text as the default
  export default text;
}
