declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: the build exports the class names as the default
  export default classes;
}

declare module '*.css' {}

declare module '*.svg' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the build exports the file's URL as the default
  export default url;
}

/** The URL of each worker's script, by name. The build defines this constant. */
declare const WORKER_URLS: Readonly<Record<string, string>>;
