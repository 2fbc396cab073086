// What the framework's build puts in place of this name; in an app its types are generated.
declare module "$env/dynamic/private" {
  export const env: Readonly<Record<string, string | undefined>>
}
