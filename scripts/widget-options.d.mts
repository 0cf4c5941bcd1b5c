import type { BuildOptions } from 'esbuild';

export declare const widgetOptions: (root: string) => BuildOptions;
