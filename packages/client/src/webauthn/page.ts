// The script that the service answers at `<base path>/webauthn.js`. It is bundled into @latchkey/core when that is
// built.
import { startPasskeyForms } from "./page/passkey-forms.js"

startPasskeyForms()
