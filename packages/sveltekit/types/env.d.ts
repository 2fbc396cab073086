// SvelteKit's build provides this module; in an app its types are generated.
declare module "$env/dynamic/private" {
  export const env: Readonly<Record<string, string | undefined>>
}
