// Imported as `@latchkey/sveltekit/components`.
// Components are published as source and compiled with the app; the path is the same from `src` and from `dist`.
import type { Component, ComponentConstructorOptions, SvelteComponent } from "svelte"
import SignInForm from "../../src/components/sign-in.svelte"
import SignOutForm from "../../src/components/sign-out.svelte"
import type { FormProps, SignInProps, SignOutProps } from "./form.js"

export type { FormOptions, FormProvider, SignInProps, SignOutProps } from "./form.js"

type Empty = Record<string, never>

/** A component with snippets, and with slots for pages in the older syntax. Type checkers know slots only of classes. */
type SlottedComponent<Props extends FormProps, Slot extends string> = Component<Props> &
  (new (
    options: ComponentConstructorOptions<Props>,
  ) => SvelteComponent<Props, Empty, Record<Slot, Empty>>)

/** A form that signs in through a page of the app whose default action is `signIn`. Works without scripts. */
export const SignIn: SlottedComponent<SignInProps, "submitButton" | "credentials"> = SignInForm

/** A form that signs out through a page of the app whose default action is `signOut`. Works without scripts. */
export const SignOut: SlottedComponent<SignOutProps, "submitButton"> = SignOutForm
