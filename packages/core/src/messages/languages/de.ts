// Imported as `@latchkey/core/languages/de`.

import type { Language } from "../../features/languages/languages.js"

/** German. Translated by a machine, and not yet read by a speaker. */
export const de: Language = {
  tag: "de",
  messages: {
    "signIn.title": "Anmelden",
    "signIn.heading": "Bei {host} anmelden",
    "signIn.with": "Mit {provider} anmelden",
    "signIn.withEmail": "Mit E-Mail anmelden",
    "signIn.withPassword": "Mit Passwort anmelden",
    "signIn.or": "oder",
    "signIn.more": "Weitere Anmeldemöglichkeiten",
    "signIn.none": "Zurzeit ist keine Anmeldung möglich.",
    "signIn.email": "E-Mail-Adresse",
    "signIn.continue": "Weiter",
    "signIn.change": "Ändern",
    "signIn.emailMe": "Stattdessen Link per E-Mail senden",
    "signIn.emailMeCode": "Stattdessen Code per E-Mail senden",
    "signIn.lastUsed": "Zuletzt verwendet",
    "signIn.filter": "Anmeldemöglichkeit suchen",
    "signIn.find": "Suchen",
    "signIn.noMatch": "Nichts gefunden. Versuchen Sie einen anderen Namen.",
    "field.showPassword": "Passwort anzeigen",
    "field.capsLock": "Die Feststelltaste ist aktiv",
    "signOut.title": "Abmelden",
    "signOut.heading": "Von {host} abmelden?",
    "signOut.button": "Abmelden",
    "signOut.stay": "Angemeldet bleiben",
    "verifyRequest.heading": "Prüfen Sie Ihre E-Mails",
    "verifyRequest.sent":
      "Wir haben einen Anmeldelink an die angegebene Adresse gesendet. Er funktioniert einmal und gilt {duration} lang.",
    "verifyRequest.sentOnce": "Wir haben einen Anmeldelink an die angegebene Adresse gesendet. Er funktioniert einmal.",
    "verifyRequest.missing": "Nichts angekommen? Sehen Sie im Spam-Ordner nach oder senden Sie die E-Mail erneut.",
    "verifyRequest.again": "Erneut senden",
    "code.sent":
      "Wir haben eine E-Mail an {address} gesendet. Geben Sie die sechs Ziffern hier ein oder öffnen Sie den Link in diesem Browser.",
    "code.label": "Code",
    "code.wrong": "Dieser Code stimmt nicht. Geben Sie die sechs Ziffern aus der neuesten E-Mail ein.",
    "code.wrongTitle": "Falscher Code",
    "code.missing":
      "Nichts angekommen? Sehen Sie im Spam-Ordner nach oder senden Sie einen neuen Code. Nur der neueste Code funktioniert.",
    "code.again": "Neuen Code senden",
    "code.otherAddress": "Andere Adresse verwenden",
    "code.spentHeading": "Dieser Code funktioniert nicht mehr",
    "code.spentText": "Öffnen Sie den Link in der E-Mail oder fordern Sie unten einen neuen Code an.",
    "code.usedText":
      "Der Link in derselben E-Mail wurde bereits verwendet. Machen Sie dort weiter, wo er geöffnet wurde, oder fordern Sie unten einen neuen Code an.",
    "code.guessesText":
      "Er wurde zu oft ausprobiert oder durch einen neueren ersetzt. Verwenden Sie die neueste E-Mail oder fordern Sie eine weitere an.",
    "confirmLink.text": "Sie haben einen Anmeldelink für {address} geöffnet. Er meldet Sie hier in diesem Browser an.",
    "confirmLink.textWithoutAddress": "Sie haben einen Anmeldelink geöffnet. Er meldet Sie hier in diesem Browser an.",
    "confirmLink.heading": "Bei {host} anmelden?",
    "confirmLink.code":
      "Haben Sie den Link in einem anderen Browser angefordert? Sie können auch dort die sechs Ziffern aus der E-Mail eingeben.",
    "confirmLink.foreign":
      "Haben Sie diesen Link nicht angefordert, oder ist das nicht Ihre Adresse? Dann schließen Sie diese Seite.",
    "showCode.heading": "Ihr Anmeldecode",
    "showCode.text": "Geben Sie diesen Code dort ein, wo Sie die Anmeldung bei {host} angefordert haben:",
    "showCode.lifetime": "Er gilt ab der Anforderung {duration} lang.",
    "showCode.foreign":
      "Haben Sie ihn nicht angefordert? Dann schließen Sie diese Seite und geben Sie den Code an niemanden weiter.",
    "link.tryAgain": "Erneut versuchen",
    "link.otherWay": "Anders anmelden",
    "link.newLink": "Neuen Link anfordern",
    "link.signIn": "Anmelden",
    "link.back": "Zurück zu {host}",
    "notFound.heading": "Diese Seite gibt es nicht",
    "notFound.text": "Prüfen Sie die Adresse oder kehren Sie zu {host} zurück.",
    "general.heading": "Die Anmeldung hat nicht funktioniert",
    "general.text": "Versuchen Sie es erneut oder melden Sie sich auf andere Weise an.",
    "accessDenied.heading": "Sie haben keinen Zugang",
    "accessDenied.text":
      "Dieses Konto darf sich hier nicht anmelden. Wenn Sie meinen, dass es das dürfen sollte, wenden Sie sich an {host}.",
    "canceled.heading": "Die Anmeldung wurde abgebrochen",
    "canceled.text": "Es hat sich nichts geändert. Sie können es erneut versuchen oder sich auf andere Weise anmelden.",
    "configuration.heading": "Die Anmeldung ist zurzeit nicht verfügbar",
    "configuration.text":
      "Das Problem wurde unter der unten stehenden Referenz protokolliert. Versuchen Sie es später erneut.",
    "invalidLink.heading": "Dieser Link funktioniert nicht",
    "invalidLink.text": "Seine Adresse ist unvollständig oder falsch. Beginnen Sie noch einmal auf der Anmeldeseite.",
    "staleFlow.heading": "Diese Anmeldung kann nicht abgeschlossen werden",
    "staleFlow.text":
      "Sie hat zu lange gedauert oder wurde in einem anderen Browser oder Fenster begonnen. Beginnen Sie noch einmal.",
    "notSetUp.heading": "Diese Anmeldemöglichkeit ist nicht eingerichtet",
    "notSetUp.text":
      "Melden Sie sich auf andere Weise an. Das Problem wurde unter der unten stehenden Referenz protokolliert.",
    "credentials.text": "Die Anmeldung hat nicht funktioniert. Prüfen Sie Ihre Eingaben und versuchen Sie es erneut.",
    "email.heading": "Die E-Mail konnte nicht gesendet werden",
    "email.text": "Prüfen Sie die Adresse und versuchen Sie es gleich noch einmal.",
    "email.address": "An diese Adresse können wir nicht schreiben. Prüfen Sie sie und versuchen Sie es erneut.",
    "email.notSent":
      "Das liegt nicht an Ihnen. Versuchen Sie es gleich noch einmal oder melden Sie sich auf andere Weise an.",
    "foreignForm.heading": "Dieses Formular wurde nicht angenommen",
    "foreignForm.text":
      "Es kam von einer anderen Adresse, als diese Website erwartet. Wenn die Adresse in Ihrem Browser stimmt, wenden Sie sich an {host}.",
    "notLinked.heading": "Zu dieser E-Mail-Adresse gibt es bereits ein Konto",
    "notLinked.text":
      "Melden Sie sich so an wie bisher. Danach können Sie diese Möglichkeit zu Ihrem Konto hinzufügen.",
    "provider.heading": "{provider} hat nicht wie erwartet geantwortet",
    "provider.headingUnnamed": "Der Anmeldedienst hat nicht wie erwartet geantwortet",
    "provider.text": "Das ist meist vorübergehend. Versuchen Sie es erneut oder melden Sie sich auf andere Weise an.",
    "sessionRequired.heading": "Bitte melden Sie sich an, um fortzufahren",
    "sessionRequired.text": "Danach kehren Sie zu der Seite zurück, auf der Sie waren.",
    "staleForm.heading": "Das Formular ist abgelaufen",
    "staleForm.text": "Bitte versuchen Sie es erneut.",
    "tooMany.heading": "Bitte warten Sie einen Moment",
    "tooMany.text": "Es gab zu viele Versuche.",
    "tooMany.wait": "Wartezeit bis zum nächsten Versuch: {duration}.",
    "verification.heading": "Dieser Link funktioniert nicht mehr",
    "verification.text": "Er wurde bereits verwendet oder ist abgelaufen. Fordern Sie unten einen neuen an.",
    "passkeyFailed.heading": "Der Passkey konnte nicht überprüft werden",
    reference: "Referenz: {reference}",
    "developer.heading": "Für Entwickler",
    "developer.audience": "Nur während der Entwicklung sichtbar.",

    "passkey.signIn": "Mit Passkey anmelden",
    "passkey.busy": "Warten auf Ihr Gerät…",
    "passkey.new": "Neu hier? Passkey erstellen",
    "passkey.create": "Passkey erstellen",
    "passkey.needsScript": "Um sich mit einem Passkey anzumelden, schalten Sie JavaScript in diesem Browser ein.",
    "passkey.canceled":
      "Der Vorgang wurde abgebrochen, dauerte zu lange oder funktionierte auf diesem Gerät nicht. Versuchen Sie es erneut oder melden Sie sich auf andere Weise an.",
    "passkey.notAllowed":
      "Diese Seite darf keine Passkeys verwenden. Öffnen Sie {host} in einem eigenen Fenster und versuchen Sie es erneut.",
    "passkey.alreadyRegistered":
      "Dieses Gerät hat bereits einen Passkey für dieses Konto. Sie können sich damit anmelden.",
    "passkey.noAuthenticator":
      "Dieses Gerät unterstützt die verlangte Art von Passkey nicht. Versuchen Sie es mit einem anderen Gerät oder einem Sicherheitsschlüssel, oder melden Sie sich auf andere Weise an.",
    "passkey.wrongSite":
      "Unter dieser Adresse funktionieren Passkeys nicht. Öffnen Sie die Website unter ihrer üblichen Adresse und versuchen Sie es erneut.",
    "passkey.insecurePage":
      "Passkeys brauchen eine sichere Verbindung. Öffnen Sie die Website mit https und versuchen Sie es erneut.",
    "passkey.unsupported":
      "Dieser Browser kann keine Passkeys verwenden. Versuchen Sie es mit einem anderen Browser oder melden Sie sich auf andere Weise an.",
    "passkey.network": "{host} war nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
    "passkey.unavailable":
      "Das hat nicht funktioniert oder zu lange gedauert. Versuchen Sie es erneut oder melden Sie sich auf andere Weise an.",
    "passkey.registrationRefused":
      "Mit diesen Angaben konnten wir kein Konto erstellen. Wenn Sie schon eines haben, melden Sie sich so an wie bisher. Danach können Sie einen Passkey zu Ihrem Konto hinzufügen.",
    "passkey.failed":
      "Der Passkey hat auf diesem Gerät nicht funktioniert. Versuchen Sie es erneut oder melden Sie sich auf andere Weise an.",
    "passkey.unknown":
      "Dieser Passkey wird hier nicht akzeptiert. Vielleicht wurde er entfernt. Versuchen Sie es mit einem anderen oder melden Sie sich auf andere Weise an.",

    "mail.subject": "Bei {host} anmelden",
    "mail.request": "Melden Sie sich mit dieser Schaltfläche an. Mehr ist nicht nötig.",
    "mail.requestWithCode": "Melden Sie sich mit dieser Schaltfläche an oder mit dem Code darunter.",
    "mail.requestInText": "Öffnen Sie diesen Link, um sich anzumelden:",
    "mail.code": "Oder geben Sie diesen Code dort ein, wo Sie die Anmeldung angefordert haben:",
    "mail.button": "Anmelden",
    "mail.link": "Wenn die Schaltfläche nicht funktioniert, kopieren Sie diesen Link in Ihren Browser:",
    "mail.lifetime": "Der Link funktioniert einmal und gilt {duration} lang.",
    "mail.lifetimeOfBoth":
      "Der Code gilt {code} lang, der Link {link} lang. Sobald einer davon verwendet wurde, funktioniert keiner mehr.",
    "mail.disclaimer":
      "Wenn Sie diese E-Mail nicht angefordert haben, ignorieren Sie sie. Ohne den Link kann sich niemand anmelden.",
    "mail.disclaimerOfBoth":
      "Wenn Sie diese E-Mail nicht angefordert haben, ignorieren Sie sie. Ohne den Link oder den Code kann sich niemand anmelden. Geben Sie den Code an niemanden weiter.",

    "password.link.forgot": "Passwort vergessen?",
    "password.link.signUp": "Konto erstellen",
    "password.link.new": "Neu hier? Konto erstellen",
    "password.link.signIn": "Anmelden",
    "password.link.again": "Neuen Code senden",
    "password.link.back": "Zurück zu {host}",
    "password.email": "E-Mail-Adresse",
    "password.identifier": "E-Mail-Adresse oder Benutzername",
    "password.name": "Name (optional)",
    "password.password": "Passwort",
    "password.newPassword": "Neues Passwort",
    "password.currentPassword": "Aktuelles Passwort",
    "password.code": "Code",
    "password.hint": {
      other: "Mindestens {count} Zeichen. Gut sind ein paar Wörter, die nur Sie so zusammenstellen würden.",
    },
    "password.signUp.heading": "Konto erstellen",
    "password.signUp.button": "Konto erstellen",
    "password.signUp.known": "Stattdessen anmelden",
    "password.signUp.codeHeading": "Prüfen Sie Ihre E-Mails",
    "password.signUp.code":
      "Wir haben einen Link und einen sechsstelligen Code an {address} gesendet. Öffnen Sie den Link oder geben Sie den Code hier ein. Er gilt {duration} lang.",
    "password.signUp.chooseHeading": "Passwort wählen",
    "password.signUp.choose":
      "Ihre Adresse ist bestätigt. Das Passwort, das anderswo gewählt wurde, wird nicht verwendet: Wählen Sie hier eines.",
    "password.forgot.heading": "Passwort vergessen?",
    "password.forgot.text":
      "Geben Sie Ihre Adresse ein. Wir senden Ihnen einen Link und einen Code, mit denen Sie ein neues Passwort wählen.",
    "password.forgot.button": "E-Mail senden",
    "password.reset.heading": "Neues Passwort wählen",
    "password.reset.code":
      "Wir haben einen Link und einen sechsstelligen Code an {address} gesendet. Geben Sie den Code mit Ihrem neuen Passwort ein. Er gilt {duration} lang.",
    "password.reset.text": "Alle anderen Sitzungen Ihres Kontos werden beendet.",
    "password.reset.button": "Passwort speichern",
    "password.change.heading": "Passwort ändern",
    "password.change.done": "Ihr Passwort wurde geändert. Alle anderen Sitzungen wurden beendet.",
    "password.add.heading": "Passwort hinzufügen",
    "password.add.text": "Ihr Konto hat noch kein Passwort. Wir senden einen Code an {address}.",
    "password.add.button": "Code senden",
    "password.fresh.heading": "Bitte melden Sie sich erneut an",
    "password.fresh.text": "Ihr Passwort können Sie innerhalb von zehn Minuten nach der Anmeldung ändern.",
    "password.code.missing": "Nichts angekommen? Sehen Sie im Spam-Ordner nach oder senden Sie einen neuen Code.",
    "password.error.missing": "Geben Sie ein Passwort ein.",
    "password.error.too-short": {
      other: "Das Passwort braucht mindestens {count} Zeichen.",
    },
    "password.error.too-long": "Das Passwort ist zu lang.",
    "password.error.characters": "Das Passwort enthält ein Zeichen, das sich nicht überall eingeben lässt.",
    "password.error.blocked":
      "Dieses Passwort ist leicht zu erraten: Es ist kaum mehr als Ihre Adresse, unser Name oder eine Wiederholung. Wählen Sie ein anderes.",
    "password.error.breached":
      "Dieses Passwort ist in einem Datenleck aufgetaucht. Wählen Sie ein anderes, und ändern Sie es überall, wo Sie es verwenden.",
    "password.error.same-as-before": "Das ist Ihr aktuelles Passwort. Wählen Sie ein anderes.",
    "password.error.current": "Das aktuelle Passwort ist falsch.",
    "password.error.email": "An diese Adresse können wir nicht schreiben. Prüfen Sie sie und versuchen Sie es erneut.",
    "password.error.mail":
      "Die E-Mail konnte nicht gesendet werden. Das liegt nicht an Ihnen: Versuchen Sie es gleich noch einmal.",
    "password.error.code": "Dieser Code stimmt nicht. Prüfen Sie ihn und versuchen Sie es erneut.",
    "password.error.link":
      "Dieser Link oder Code funktioniert nicht mehr: Er wurde verwendet, ist zu alt, oder es hat sich seither etwas geändert. Fordern Sie eine neue E-Mail an.",
    "password.error.title": "Fehler",

    "passwordMail.choose": "Neues Passwort wählen",
    "passwordMail.sign-up.subject": "Bestätigen Sie Ihre Adresse für {host}",
    "passwordMail.sign-up.request":
      "Schließen Sie die Erstellung Ihres Kontos mit dieser Schaltfläche ab oder mit dem Code darunter.",
    "passwordMail.sign-up.inText": "Öffnen Sie diesen Link, um die Erstellung Ihres Kontos abzuschließen:",
    "passwordMail.sign-up.button": "Konto erstellen",
    "passwordMail.sign-up.code": "Oder geben Sie diesen Code dort ein, wo Sie Ihr Passwort gewählt haben:",
    "passwordMail.sign-up.note":
      "Wenn Sie kein Konto angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link oder den Code wird kein Konto erstellt. Geben Sie den Code an niemanden weiter.",
    "passwordMail.known.subject": "Sie haben bereits ein Konto bei {host}",
    "passwordMail.known.request":
      "Jemand, vielleicht Sie, wollte mit dieser Adresse ein Konto erstellen. Es gibt schon eines: Melden Sie sich damit an.",
    "passwordMail.known.note": "Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.",
    "passwordMail.reset.subject": "Wählen Sie ein neues Passwort für {host}",
    "passwordMail.reset.request": "Wählen Sie mit dieser Schaltfläche ein neues Passwort oder mit dem Code darunter.",
    "passwordMail.reset.inText": "Öffnen Sie diesen Link, um ein neues Passwort zu wählen:",
    "passwordMail.reset.code": "Oder geben Sie diesen Code dort ein, wo Sie ihn angefordert haben:",
    "passwordMail.reset.note":
      "Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail: Ihr Passwort bleibt. Geben Sie den Code an niemanden weiter.",
    "passwordMail.unknown.subject": "Kein Konto bei {host} mit dieser Adresse",
    "passwordMail.unknown.request":
      "Jemand, vielleicht Sie, hat ein neues Passwort angefordert. Zu dieser Adresse gibt es kein Konto: Versuchen Sie es mit einer anderen.",
    "passwordMail.unknown.button": "Zu {host}",
    "passwordMail.unknown.note": "Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.",
    "passwordMail.no-password.subject": "Ihr Konto bei {host} hat kein Passwort",
    "passwordMail.no-password.request": "Melden Sie sich so an wie bisher. Danach können Sie ein Passwort wählen.",
    "passwordMail.no-password.note":
      "Wenn Sie kein neues Passwort angefordert haben, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.",
    "passwordMail.add.subject": "Passwort bei {host} hinzufügen",
    "passwordMail.add.request": "Wählen Sie mit dem Code unten ein Passwort für Ihr Konto.",
    "passwordMail.add.inText": "Wählen Sie auf dieser Seite ein Passwort, mit dem Code unten:",
    "passwordMail.add.button": "Passwort wählen",
    "passwordMail.add.code": "Geben Sie diesen Code dort ein, wo Sie ihn angefordert haben:",
    "passwordMail.add.note":
      "Wenn Sie ihn nicht angefordert haben, ist jemand in Ihrem Konto angemeldet: Melden Sie sich an und beenden Sie die anderen Sitzungen. Geben Sie den Code an niemanden weiter.",
    "passwordMail.changed.subject": "Ihr Passwort bei {host} wurde geändert",
    "passwordMail.changed.request":
      "Alle anderen Sitzungen wurden beendet. Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, wählen Sie jetzt ein neues Passwort.",
    "passwordMail.changed.note": "Sie erhalten diese E-Mail, weil Ihr Passwort geändert wurde.",
    "passwordMail.guessed.subject": "Eine Anmeldung bei {host} nach vielen falschen Passwörtern",
    "passwordMail.guessed.request":
      "Jemand hat sich nach vielen falschen Passwörtern mit Ihrem Passwort angemeldet. Wenn Sie das nicht waren, wählen Sie jetzt ein neues Passwort.",
    "passwordMail.guessed.note": "Sie erhalten diese E-Mail wegen der falschen Passwörter.",
    "passwordMail.breached.subject": "Ihr Passwort bei {host} ist in einem Datenleck aufgetaucht",
    "passwordMail.breached.request":
      "Ihr Passwort steht auf einer Liste von Passwörtern aus Datenlecks, vielleicht von einer anderen Website. Wählen Sie jetzt ein neues.",
    "passwordMail.breached.note": "Sie erhalten diese E-Mail wegen der Anmeldung, die gerade stattgefunden hat.",

    "factor.code.heading": "Code eingeben",
    "factor.code.text": "Öffnen Sie Ihre Authenticator-App und geben Sie den sechsstelligen Code für {host} ein.",
    "factor.code.label": "Code",
    "factor.code.appLabel": "Code aus Ihrer Authenticator-App",
    "factor.code.button": "Weiter",
    "factor.code.recovery": "Stattdessen einen Wiederherstellungscode verwenden",
    "factor.recovery.heading": "Wiederherstellungscode eingeben",
    "factor.recovery.text": "Jeder der Codes, die Sie gespeichert haben, funktioniert einmal.",
    "factor.recovery.label": "Wiederherstellungscode",
    "factor.recovery.totp": "Stattdessen die Authenticator-App verwenden",
    "factor.wrong.heading": "Dieser Code hat nicht funktioniert",
    "factor.wrong.text":
      "Vielleicht haben Sie sich vertippt, oder der Code ist zu alt oder schon verwendet. Warten Sie auf einen neuen und versuchen Sie es erneut.",
    "factor.wrong.recovery":
      "Vielleicht haben Sie sich vertippt, oder der Code ist schon verwendet. Prüfen Sie ihn und versuchen Sie es erneut.",
    "factor.enroll.heading": "Bestätigung in zwei Schritten einrichten",
    "factor.enroll.text":
      "Scannen Sie diesen Code mit einer Authenticator-App. Danach geben Sie bei jeder Anmeldung einen Code aus dieser App ein.",
    "factor.enroll.textNoQr":
      "Fügen Sie diesen Schlüssel einer Authenticator-App hinzu. Danach geben Sie bei jeder Anmeldung einen Code aus dieser App ein.",
    "factor.enroll.qr": "QR-Code für Ihre Authenticator-App",
    "factor.enroll.key": "Einrichtungsschlüssel",
    "factor.enroll.keyHint": "Scannen geht nicht? Geben Sie diesen Schlüssel in der App ein.",
    "factor.enroll.label": "Code aus der App",
    "factor.saved.heading": "Speichern Sie Ihre Wiederherstellungscodes",
    "factor.saved.text":
      "Mit jedem davon können Sie sich einmal anmelden, falls Sie Ihre Authenticator-App verlieren. Sie werden nicht noch einmal angezeigt.",
    "factor.saved.button": "Weiter zu {host}",
    "factor.link.other": "Anders anmelden",
    "factor.code.remember": "{duration} lang auf diesem Gerät nicht mehr fragen",
    "factor.passkey.heading": "Passkey verwenden",
    "factor.passkey.text": "{host} verlangt zusätzlich zu Ihrer üblichen Anmeldung Ihren Passkey.",
    "factor.confirm.heading": "Bestätigen Sie, dass Sie es sind",
    "factor.confirm.text": "Bestätigen Sie zu Ihrer Sicherheit noch einmal, dass Sie es sind.",
    "factor.confirm.next": "Danke. Ein weiterer Schritt ist nötig.",
    "factor.confirm.password": "Mit {provider} bestätigen",
    "factor.confirm.withPassword": "Mit Passwort bestätigen",
    "factor.confirm.email": "Code per E-Mail senden",
    "factor.confirm.provider": "Erneut mit {provider} anmelden",
    "factor.confirm.signIn": "Erneut anmelden",
    "factor.confirm.none":
      "Dafür ist eine Anmeldemethode nötig, die Ihr Konto noch nicht hat. Richten Sie sie zuerst ein oder melden Sie sich auf andere Weise an.",
    "factor.confirm.back": "Zurück zu {host}",
    "factor.confirm.wrong": "Das hat nicht funktioniert",
    "factor.confirm.wrongText": "Prüfen Sie Ihre Eingaben und versuchen Sie es erneut.",
    "native.heading": "Bei {app} anmelden?",
    "native.text":
      "Sie sind bei {host} als {account} angemeldet. Auf diesem Gerät werden Sie mit diesem Konto bei {app} angemeldet.",
    "native.textWithoutAccount":
      "Sie sind bei {host} angemeldet. Auf diesem Gerät werden Sie mit diesem Konto bei {app} angemeldet.",
    "native.warning": "Fahren Sie nur fort, wenn Sie dies gerade in {app} begonnen haben.",
    "native.continue": "Weiter zu {app}",
    "native.cancel": "Abbrechen",
    "native.other": "Anderes Konto verwenden",

    "account.title": "Ihr Konto",
    "account.back": "Zurück zu Ihrem Konto",
    "account.error": "Fehler",
    "account.locked": "Bestätigen Sie, dass Sie es sind, um fortzufahren.",
    "account.unlock": "Bestätigen",
    "account.save": "Speichern",
    "account.remove": "Entfernen",
    "account.removeOne": "{name} entfernen",
    "account.used": "Zuletzt verwendet: {ago}",
    "account.unused": "Noch nicht verwendet",
    "account.last": "Ihre einzige Anmeldemethode",
    "account.done.gone": "Das gibt es nicht mehr.",
    "account.problem.last-sign-in-method": "Das ist Ihre einzige Anmeldemethode. Fügen Sie zuerst eine andere hinzu.",
    "account.problem.required":
      "Sie brauchen die Bestätigung in zwei Schritten. Richten Sie zuerst eine andere Methode ein.",
    "account.problem.other": "Das hat nicht funktioniert. Versuchen Sie es erneut.",
    "account.profile.title": "Profil",
    "account.profile.name": "Name",
    "account.profile.image": "URL des Bildes",
    "account.profile.none": "Noch kein Name",
    "account.profile.done.saved": "Ihr Profil wurde gespeichert.",
    "account.profile.problem.image":
      "Geben Sie eine URL ein, die mit https:// oder http:// beginnt, oder lassen Sie das Feld leer.",
    "account.methods.title": "Anmeldemethoden",
    "account.methods.text": "Behalten Sie mindestens zwei, damit Sie sich anmelden können, wenn Sie eine verlieren.",
    "account.methods.add": "{provider} hinzufügen",
    "account.methods.off": "Wird hier nicht mehr angeboten",
    "account.methods.unproved": "{email}, noch nicht bestätigt",
    "account.methods.done.linked": "Anmeldemethode hinzugefügt. Sie können sich jetzt damit anmelden.",
    "account.methods.done.removed": "Anmeldemethode entfernt. Sitzungen, die damit begonnen haben, wurden beendet.",
    "account.passkeys.title": "Passkeys",
    "account.passkeys.count": { other: "Passkeys: {count}" },
    "account.passkeys.none": "Noch keine",
    "account.passkeys.text":
      "Melden Sie sich mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts an. Sie müssen sich nichts merken.",
    "account.passkeys.unnamed": "Passkey ohne Namen",
    "account.passkeys.key": "Auf einem Sicherheitsschlüssel",
    "account.passkeys.synced": "Mit Ihren Geräten synchronisiert",
    "account.passkeys.device": "Auf einem Gerät",
    "account.passkeys.add": "Passkey hinzufügen",
    "account.passkeys.needsScript": "Um einen Passkey hinzuzufügen, schalten Sie JavaScript in diesem Browser ein.",
    "account.passkeys.rename": "Umbenennen",
    "account.passkeys.name": "Name des Passkeys",
    "account.passkeys.done.added": "Ihr Passkey wurde hinzugefügt. Sie können sich jetzt damit anmelden.",
    "account.passkeys.done.renamed": "Der Passkey wurde umbenannt.",
    "account.passkeys.done.removed":
      "Der Passkey wurde entfernt. Ihr Gerät bietet ihn vielleicht noch an, bis Sie ihn auch dort löschen.",
    "account.factors.title": "Bestätigung in zwei Schritten",
    "account.factors.on": "Ein",
    "account.factors.off": "Aus",
    "account.factors.text":
      "Nach Ihrer üblichen Anmeldung werden Sie nach einem Code gefragt, sodass ein gestohlenes Passwort nicht reicht.",
    "account.factors.totp": "Authenticator-App",
    "account.factors.recovery": "Wiederherstellungscodes",
    "account.factors.codesLeft": { other: "Übrige Codes: {count}" },
    "account.factors.add": "Authenticator-App einrichten",
    "account.factors.addCodes": "Wiederherstellungscodes erstellen",
    "account.factors.renewCodes": "Wiederherstellungscodes ersetzen",
    "account.factors.done.added": "Die Bestätigung in zwei Schritten ist eingerichtet.",
    "account.factors.done.codes": "Ihre Wiederherstellungscodes wurden ersetzt. Die früheren funktionieren nicht mehr.",
    "account.factors.done.removed": "Bestätigungsmethode entfernt. Sie sind auf allen anderen Geräten abgemeldet.",
    "account.password.title": "Passwort",
    "account.password.none": "Sie haben kein Passwort.",
    "account.password.changed": "Zuletzt geändert: {ago}",
    "account.password.change": "Passwort ändern",
    "account.password.add": "Passwort hinzufügen",
    "account.sessions.title": "Geräte und Sitzungen",
    "account.sessions.count": { other: "Sitzungen: {count}" },
    "account.sessions.current": "Dieser Browser",
    "account.sessions.device": "{browser} auf {system}",
    "account.sessions.unknown": "Unbekanntes Gerät",
    "account.sessions.end": "Abmelden",
    "account.sessions.endOne": "Abmelden: {device}",
    "account.sessions.endOthers": "Überall sonst abmelden",
    "account.sessions.done.ended": "Diese Sitzung wurde beendet.",
    "account.sessions.done.others": "Sie sind überall sonst abgemeldet.",

    "account.email.title": "E-Mail-Adresse",
    "account.email.text":
      "Wir senden eine E-Mail an die neue Adresse. Ihre Adresse bleibt, bis Sie die neue bestätigen.",
    "account.email.new": "Neue Adresse",
    "account.email.send": "E-Mail senden",
    "account.email.confirm": "Adresse ändern",
    "account.email.link": "Die Adresse Ihres Kontos in {address} ändern?",
    "account.email.done.changed": "Ihre Adresse wurde geändert. Alle anderen Sitzungen wurden beendet.",
    "account.email.problem.same": "Ihr Konto hat diese Adresse schon.",
    "account.email.problem.spent": "Dieser Code oder Link funktioniert nicht mehr. Fordern Sie eine neue E-Mail an.",
    "account.email.problem.taken": "Ein anderes Konto hat diese Adresse.",
    "account.undo.heading": "Änderung der Adresse rückgängig machen?",
    "account.undo.text":
      "Ihr Konto erhält wieder die Adresse {address}. Sie werden auf allen Geräten abgemeldet, und das Passwort funktioniert nicht mehr.",
    "account.undo.button": "Änderung rückgängig machen",
    "account.undo.done":
      "Ihr Konto hat wieder die Adresse {address}. Sehen Sie sich nach der Anmeldung Ihre Passkeys und verbundenen Konten an: Jemand anderes könnte etwas hinzugefügt haben.",
    "account.undo.password": "Neues Passwort wählen",
    "account.undo.spent":
      "Dieser Link funktioniert nicht mehr. Die Änderung wurde schon rückgängig gemacht, oder er ist zu alt.",
    "account.export.title": "Ihre Daten",
    "account.export.text":
      "Laden Sie eine Datei mit allem herunter, was über Sie gespeichert ist. Passwörter und Schlüssel sind nicht darin.",
    "account.export.button": "Herunterladen",
    "account.export.problem.hourly":
      "Sie können Ihre Daten einmal pro Stunde herunterladen. Versuchen Sie es später erneut.",
    "account.delete.title": "Konto löschen",
    "account.delete.text":
      "Ihr Konto und alles, was dazugehört, wird gelöscht. Das lässt sich nicht rückgängig machen.",
    "account.delete.wait":
      "Verbleibende Zeit bis zur Löschung Ihres Kontos: {duration}. Um es zu behalten, melden Sie sich vorher an.",
    "account.delete.until": "Sie können Ihr Konto bis {date} behalten. Melden Sie sich vorher an.",
    "account.delete.confirm": "Geben Sie zur Bestätigung ein: {text}",
    "account.delete.problem.text": "Die Eingabe stimmt nicht überein. Geben Sie genau das ein, was angezeigt wird.",
    "account.delete.done": "Ihr Konto wurde gelöscht.",

    "accountMail.home": "Zu {host}",
    "accountMail.note": "Sie erhalten diese E-Mail, weil Ihr Konto geändert wurde.",
    "accountMail.change.subject": "Bestätigen Sie Ihre neue Adresse für {host}",
    "accountMail.change.request":
      "Verwenden Sie diese Schaltfläche in dem Browser, in dem Sie angemeldet sind, oder geben Sie dort den Code unten ein. Ihr Konto hat dann diese Adresse.",
    "accountMail.change.inText": "Öffnen Sie diesen Link in dem Browser, in dem Sie angemeldet sind:",
    "accountMail.change.button": "Adresse ändern",
    "accountMail.change.code": "Oder geben Sie diesen Code dort ein, wo Sie ihn angefordert haben:",
    "accountMail.change.note":
      "Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link oder den Code ändert sich nichts. Geben Sie den Code an niemanden weiter.",
    "accountMail.taken.subject": "Sie haben bereits ein Konto bei {host}",
    "accountMail.taken.request":
      "Jemand, vielleicht Sie, wollte diese Adresse für ein anderes Konto verwenden. Sie hat schon ein Konto: Melden Sie sich damit an.",
    "accountMail.taken.note": "Wenn Sie das nicht waren, ignorieren Sie diese E-Mail. Es hat sich nichts geändert.",
    "accountMail.changed.subject": "Die Adresse Ihres Kontos bei {host} wurde geändert",
    "accountMail.changed.request":
      "Das Konto hat jetzt die Adresse {address}. Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, machen Sie die Änderung jetzt rückgängig. Verbleibende Zeit: {duration}.",
    "accountMail.changed.button": "Änderung rückgängig machen",
    "accountMail.restored.subject": "Die Adresse Ihres Kontos bei {host} wurde zurückgeändert",
    "accountMail.restored.request":
      "Jemand mit Zugang zur früheren Adresse hat die Änderung rückgängig gemacht. Alle Sitzungen wurden beendet. Wenn Sie nicht wissen, warum, wenden Sie sich an {host}.",
    "accountMail.deleted.subject": "Ihr Konto bei {host} wurde gelöscht",
    "accountMail.deleted.request":
      "Alle zugehörigen Daten wurden ebenfalls gelöscht. Wenn Sie das nicht waren, wenden Sie sich an {host}.",
    "accountMail.planned.subject": "Ihr Konto bei {host} wird gelöscht",
    "accountMail.planned.request":
      "Verbleibende Zeit bis zur Löschung Ihres Kontos: {duration}. Um es zu behalten, melden Sie sich vorher an.",
    "accountMail.planned.note": "Wenn Sie das nicht waren, melden Sie sich jetzt an und wählen Sie ein neues Passwort.",
    "accountMail.kept.subject": "Ihr Konto bei {host} wird nicht gelöscht",
    "accountMail.kept.request":
      "Jemand hat sich damit angemeldet, deshalb wurde die Löschung abgebrochen. Um es zu löschen, fordern Sie es erneut an.",
  },
}
