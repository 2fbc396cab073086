// Imported as `@latchkey/sveltekit/components`.
export type { FormOptions, FormProvider, SignInProps, SignOutProps } from "./form-props.js"
export { SignIn } from "./sign-in.js"
export { SignOut } from "./sign-out.js"
