import { signOut } from "../../auth.js"

export const actions = { default: signOut }
