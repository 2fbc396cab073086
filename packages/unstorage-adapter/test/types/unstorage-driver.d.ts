/** Replaces the types of all drivers. */
// biome-ignore lint/style/noDefaultExport: drivers are default exports
export default function driver(options?: object): { name?: string; getInstance?: () => unknown }
