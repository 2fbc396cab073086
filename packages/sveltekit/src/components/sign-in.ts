// The same place seen from `dist`: a component is compiled with the app, and published as it is written.
import SignInForm from "../../src/components/sign-in.svelte"
import type { SignInProps } from "./form-props.js"
import type { SlottedComponent } from "./slotted-component.js"

/**
 * A form with a button that signs in by way of a page of the app whose default action is `signIn`; works without
 * scripts.
 */
export const SignIn: SlottedComponent<SignInProps, "submitButton" | "credentials"> = SignInForm
