/** What the window may ask of the main process. */
export interface Ipc {
  show(): Promise<View>
  signIn(): Promise<View>
  signOut(): Promise<View>
}

/** What the window shows. */
export type View =
  | { readonly user: null; readonly message?: string }
  | { readonly user: { readonly name: string }; readonly devices: readonly string[] }
