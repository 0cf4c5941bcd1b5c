declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  // biome-ignore lint/style/noDefaultExport: the build gives a style sheet this form
  export default classes;
}

declare module '*.css' {}

declare module '*.svg' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: the build gives a file this form
  export default url;
}

/** The URL of each built worker, by its name; the build defines it. */
declare const WORKER_URLS: Readonly<Record<string, string>>;
