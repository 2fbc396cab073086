/** Stands for every driver. */
// biome-ignore lint/style/noDefaultExport: drivers are imported so
export default function driver(options?: object): { name?: string; getInstance?: () => unknown }
