// The same place seen from `dist`: a component is compiled with the app, and published as it is written.
import SignOutForm from "../../src/components/sign-out.svelte"
import type { SignOutProps } from "./form-props.js"
import type { SlottedComponent } from "./slotted-component.js"

/**
 * A form with a button that signs out by way of a page of the app whose default action is `signOut`; works without
 * scripts.
 */
export const SignOut: SlottedComponent<SignOutProps, "submitButton"> = SignOutForm
