import type { ComponentChildren } from "preact"
import { Initials, renderDocument } from "../theme/page.js"
import { examplePeople } from "./stores.js"

/** The entered values, and the error of one of them. */
export interface LoginForm {
  readonly name: string
  readonly email: string
  readonly problem: { readonly field: "name" | "email"; readonly text: string } | null
}

const siteName = "Demo ID"
const problemId = "problem"

/** The login page: choose a person or enter one. */
export function renderLoginPage(form: LoginForm): string {
  return renderProviderPage("Sign in", [
    <h1>Who are you?</h1>,
    <p class="quiet">
      Demo ID accepts any answer and asks for no password. The sign-in that follows uses real OpenID Connect.
    </p>,
    <Examples />,
    <p class="divider">or</p>,
    <PersonForm form={form} />,
    <form method="post">
      <button type="submit" class="button full" name="action" value="cancel">
        Cancel and go back
      </button>
    </form>,
  ])
}

/** The error page for a sign-in that cannot continue. */
export function renderProviderError(reason: string): string {
  return renderProviderPage("Sign-in error", [
    <h1>This sign-in cannot continue</h1>,
    <p>Go back to the site you came from and start again. Nothing has changed.</p>,
    <p class="quiet small">{reason}</p>,
  ])
}

/** A page of the provider with a single card. */
export function renderProviderPage(title: string, content: readonly ComponentChildren[]): string {
  const body = (
    <main class="narrow">
      <p class="site">{siteName}</p>
      <div class="card">{...content}</div>
    </main>
  )
  return renderDocument({ title, siteName, body })
}

function Examples(): ComponentChildren {
  return (
    <form method="post" class="stack">
      {examplePeople.map((person) => (
        <button type="submit" class="button full left" name="person" value={person.sub} key={person.sub}>
          <span class="person">
            <Initials name={person.name} />
            <span>
              {person.name}
              <span class="quiet small">{person.email}</span>
            </span>
          </span>
        </button>
      ))}
      <p class="quiet small">The app denies access to Mallory, so that you can see the error page.</p>
    </form>
  )
}

function PersonForm({ form }: { readonly form: LoginForm }): ComponentChildren {
  return (
    <form method="post" class="fields" noValidate>
      {form.problem && (
        <p class="alarm" role="alert" id={problemId}>
          {form.problem.text}
        </p>
      )}
      <TextField form={form} name="name" label="Name" />
      <TextField form={form} name="email" label="Email address" />
      <button type="submit" class="button main full">
        Continue
      </button>
    </form>
  )
}

interface TextFieldProps {
  readonly form: LoginForm
  readonly name: "name" | "email"
  readonly label: string
}

function TextField({ form, name, label }: TextFieldProps): ComponentChildren {
  const isInvalid = form.problem?.field === name
  const attributes = {
    id: name,
    name,
    value: form[name],
    autoComplete: name,
    required: true,
    ...(isInvalid ? { "aria-invalid": true, "aria-describedby": problemId } : {}),
  }
  return (
    <div>
      <label for={name}>{label}</label>
      {name === "email" ? <input type="email" {...attributes} /> : <input type="text" {...attributes} />}
    </div>
  )
}
