declare module '*.css' {
  /** The style sheet as text. The build minifies it. */
  const text: string;
  // biome-ignore lint/style/noDefaultExport: the build exports the text as the default
  export default text;
}
