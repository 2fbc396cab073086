import { SvelteKitAuth } from "@latchkey/sveltekit"

export const { handle, signIn, signOut } = SvelteKitAuth(({ platform }) => platform?.config ?? { providers: [] })
