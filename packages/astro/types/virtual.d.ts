// The integration provides these modules in an app's build.
declare module "latchkey:auth-config" {
  const config: import("../src/config.js").AstroConfigSource
  // biome-ignore lint/style/noDefaultExport: as in the file of the app
  export default config
}

declare module "latchkey:mount-path" {
  export const mountPath: string
}
