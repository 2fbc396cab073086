// Imported as `@latchkey/core/languages/fr`.

import type { Language } from "../speak.js"

/** French. Translated by a machine, and not yet read by a speaker. */
export const fr: Language = {
  tag: "fr",
  sentences: {
    "signIn.title": "Connexion",
    "signIn.heading": "Se connecter à {host}",
    "signIn.with": "Se connecter avec {provider}",
    "signIn.withEmail": "Se connecter par e-mail",
    "signIn.withPassword": "Se connecter avec un mot de passe",
    "signIn.or": "ou",
    "signIn.more": "Autres façons de se connecter",
    "signIn.none": "Aucun moyen de connexion n’est disponible pour le moment.",
    "signIn.email": "Adresse e-mail",
    "signIn.continue": "Continuer",
    "signIn.change": "Modifier",
    "signIn.emailMe": "M’envoyer plutôt un lien par e-mail",
    "signIn.emailMeCode": "M’envoyer plutôt un code par e-mail",
    "signIn.lastUsed": "Dernier utilisé",
    "signIn.filter": "Chercher un moyen de connexion",
    "signIn.find": "Chercher",
    "signIn.noMatch": "Aucun résultat. Essayez un autre nom.",
    "signOut.title": "Déconnexion",
    "signOut.heading": "Se déconnecter de {host} ?",
    "signOut.button": "Se déconnecter",
    "signOut.stay": "Rester connecté",
    "verifyRequest.heading": "Consultez vos e-mails",
    "verifyRequest.sent":
      "Nous avons envoyé un lien de connexion à l’adresse indiquée. Il fonctionne une fois et sa durée de validité est de {duration}.",
    "verifyRequest.sentOnce": "Nous avons envoyé un lien de connexion à l’adresse indiquée. Il fonctionne une fois.",
    "verifyRequest.missing": "Rien reçu ? Regardez dans les courriers indésirables ou renvoyez l’e-mail.",
    "verifyRequest.again": "Renvoyer",
    "code.sent":
      "Nous avons envoyé un e-mail à {address}. Saisissez ici ses six chiffres ou ouvrez son lien dans ce navigateur.",
    "code.label": "Code",
    "code.wrong": "Ce code n’est pas le bon. Consultez l’e-mail le plus récent et saisissez ses six chiffres.",
    "code.wrongTitle": "Code incorrect",
    "code.missing":
      "Rien reçu ? Regardez dans les courriers indésirables ou renvoyez l’e-mail. Seul le code le plus récent fonctionne.",
    "code.otherAddress": "Utiliser une autre adresse",
    "code.spentHeading": "Ce code ne fonctionne plus",
    "code.spentText": "Ouvrez le lien de l’e-mail ou demandez un nouveau code ci-dessous.",
    "code.guessesText":
      "Il a été essayé trop souvent ou remplacé par un plus récent. Utilisez l’e-mail le plus récent ou demandez-en un autre ci-dessous.",
    "confirmLink.text":
      "Vous avez ouvert un lien de connexion pour {address}. Il vous connecte ici, dans ce navigateur.",
    "confirmLink.textWithoutAddress":
      "Vous avez ouvert un lien de connexion. Il vous connecte ici, dans ce navigateur.",
    "confirmLink.heading": "Se connecter à {host} ?",
    "confirmLink.code":
      "L’avez-vous demandé dans un autre navigateur ? Vous pouvez aussi y saisir les six chiffres de l’e-mail.",
    "confirmLink.foreign":
      "Vous n’avez pas demandé ce lien, ou ce n’est pas votre adresse ? Fermez alors cette page. Il ne s’est rien passé.",
    "showCode.heading": "Votre code de connexion",
    "showCode.text": "Saisissez ce code là où vous avez demandé à vous connecter à {host} :",
    "showCode.lifetime": "Sa durée de validité est de {duration} à partir de votre demande.",
    "showCode.foreign": "Vous ne l’avez pas demandé ? Fermez alors cette page et ne donnez le code à personne.",
    "link.tryAgain": "Réessayer",
    "link.otherWay": "Se connecter autrement",
    "link.newLink": "Demander un nouveau lien",
    "link.signIn": "Se connecter",
    "link.back": "Retour à {host}",
    "notFound.heading": "Cette page n’existe pas",
    "notFound.text": "Vérifiez l’adresse ou revenez à {host}.",
    "general.heading": "La connexion a échoué",
    "general.text": "Réessayez ou choisissez un autre moyen de connexion.",
    "accessDenied.heading": "Vous n’avez pas accès",
    "accessDenied.text":
      "Ce compte n’est pas autorisé à se connecter ici. Si vous pensez qu’il devrait l’être, contactez {host}.",
    "canceled.heading": "La connexion a été annulée",
    "canceled.text": "Rien n’a changé. Vous pouvez réessayer ou choisir un autre moyen.",
    "configuration.heading": "La connexion n’est pas disponible pour le moment",
    "configuration.text": "Les responsables de {host} ont reçu les détails.",
    "invalidLink.heading": "Ce lien ne fonctionne pas",
    "invalidLink.text": "Son adresse est incomplète ou erronée. Recommencez depuis la page de connexion.",
    "staleFlow.heading": "Cette connexion ne peut pas être terminée",
    "staleFlow.text":
      "Elle a pris trop de temps ou a commencé dans un autre navigateur ou une autre fenêtre. Recommencez.",
    "notSetUp.heading": "Ce moyen de connexion n’est pas configuré",
    "notSetUp.text": "Choisissez un autre moyen de connexion. Les responsables de {host} ont reçu les détails.",
    "credentials.text": "La connexion a échoué. Vérifiez votre saisie et réessayez.",
    "email.heading": "L’e-mail n’a pas pu être envoyé",
    "email.text": "Vérifiez l’adresse et réessayez dans un instant.",
    "email.address": "Nous ne pouvons pas écrire à cette adresse. Vérifiez-la et réessayez.",
    "email.notSent": "Ce n’est pas votre faute. Réessayez dans un instant ou connectez-vous autrement.",
    "foreignForm.heading": "Ce formulaire n’a pas été accepté",
    "foreignForm.text":
      "Il provient d’une autre adresse que celle attendue par ce site. Si l’adresse dans votre navigateur est correcte, signalez-le aux responsables de {host}.",
    "notLinked.heading": "Cette adresse e-mail a déjà un compte",
    "notLinked.text": "Connectez-vous comme auparavant. Vous pourrez ensuite ajouter ce moyen à votre compte.",
    "provider.heading": "{provider} n’a pas répondu comme prévu",
    "provider.headingUnnamed": "Le service de connexion n’a pas répondu comme prévu",
    "provider.text": "C’est généralement temporaire. Réessayez ou choisissez un autre moyen de connexion.",
    "sessionRequired.heading": "Connectez-vous pour continuer",
    "sessionRequired.text": "Vous reviendrez à la page où vous étiez.",
    "staleForm.heading": "Cette page est restée ouverte trop longtemps",
    "staleForm.text": "Veuillez réessayer.",
    "tooMany.heading": "Veuillez patienter un instant",
    "tooMany.text": "Il y a eu trop de tentatives en peu de temps.",
    "tooMany.wait": "Vous pourrez réessayer dans {duration}.",
    "verification.heading": "Ce lien ne fonctionne plus",
    "verification.text": "Il a déjà été utilisé ou il a expiré. Demandez-en un nouveau ci-dessous.",
    "passkeyFailed.heading": "La clé d’accès n’a pas pu être vérifiée",
    reference: "Référence : {reference}",
    "developer.heading": "Pour le développeur",
    "developer.audience": "Affiché uniquement pendant le développement.",

    "passkey.signIn": "Se connecter avec une clé d’accès",
    "passkey.busy": "En attente de votre appareil…",
    "passkey.new": "Première visite ? Créer une clé d’accès",
    "passkey.create": "Créer une clé d’accès",
    "passkey.needsScript": "Pour vous connecter avec {provider}, activez JavaScript dans ce navigateur.",
    "passkey.canceled":
      "L’opération a été annulée, a pris trop de temps ou n’a pas fonctionné sur cet appareil. Réessayez ou choisissez un autre moyen de connexion.",
    "passkey.notAllowed":
      "Cette page n’est pas autorisée à utiliser des clés d’accès. Ouvrez {host} dans sa propre fenêtre et réessayez.",
    "passkey.alreadyRegistered":
      "Cet appareil a déjà une clé d’accès pour ce compte. Vous pouvez vous connecter avec elle.",
    "passkey.noAuthenticator":
      "Cet appareil ne prend pas en charge le type de clé d’accès requis. Essayez un autre appareil ou une clé de sécurité, ou choisissez un autre moyen de connexion.",
    "passkey.wrongSite":
      "Les clés d’accès ne fonctionnent pas à cette adresse. Ouvrez le site à son adresse habituelle et réessayez.",
    "passkey.insecurePage": "Les clés d’accès exigent une connexion sécurisée. Ouvrez le site en https et réessayez.",
    "passkey.unsupported":
      "Ce navigateur ne peut pas utiliser de clés d’accès. Essayez un autre navigateur ou choisissez un autre moyen de connexion.",
    "passkey.network": "{host} est injoignable. Vérifiez votre connexion et réessayez.",
    "passkey.unavailable":
      "Cela n’a pas fonctionné ou a pris trop de temps. Réessayez ou choisissez un autre moyen de connexion.",
    "passkey.registrationRefused":
      "Nous n’avons pas pu créer de compte avec ces informations. Si vous en avez un, connectez-vous comme auparavant. Vous pourrez ensuite ajouter une clé d’accès à votre compte.",
    "passkey.failed":
      "La clé d’accès n’a pas fonctionné sur cet appareil. Réessayez ou choisissez un autre moyen de connexion.",
    "passkey.unknown":
      "Cette clé d’accès n’est pas acceptée ici. Elle a peut-être été supprimée. Essayez-en une autre ou choisissez un autre moyen de connexion.",

    "mail.subject": "Se connecter à {host}",
    "mail.request": "Utilisez ce bouton pour vous connecter. Rien d’autre n’est nécessaire.",
    "mail.requestWithCode": "Utilisez ce bouton pour vous connecter, ou le code ci-dessous.",
    "mail.requestInText": "Ouvrez ce lien pour vous connecter :",
    "mail.code": "Ou saisissez ce code là où vous avez demandé à vous connecter :",
    "mail.button": "Se connecter",
    "mail.link": "Si le bouton ne fonctionne pas, copiez ce lien dans votre navigateur :",
    "mail.lifetime": "Le lien fonctionne une fois. Durée de validité : {duration}.",
    "mail.lifetimeOfBoth":
      "Le code est valable {code}, le lien {link}. Dès que l’un des deux est utilisé, aucun ne fonctionne plus.",
    "mail.disclaimer": "Si vous n’avez pas demandé cet e-mail, ignorez-le. Personne ne peut se connecter sans le lien.",
    "mail.disclaimerOfBoth":
      "Si vous n’avez pas demandé cet e-mail, ignorez-le. Personne ne peut se connecter sans le lien ou le code. Ne donnez le code à personne.",

    "password.link.forgot": "Mot de passe oublié ?",
    "password.link.signUp": "Créer un compte",
    "password.link.new": "Première visite ? Créer un compte",
    "password.link.signIn": "Se connecter",
    "password.link.again": "Demander un autre e-mail",
    "password.link.back": "Retour à {host}",
    "password.email": "Adresse e-mail",
    "password.identifier": "Adresse e-mail ou nom d’utilisateur",
    "password.name": "Nom (facultatif)",
    "password.password": "Mot de passe",
    "password.newPassword": "Nouveau mot de passe",
    "password.currentPassword": "Mot de passe actuel",
    "password.code": "Code",
    "password.hint": {
      one: "Au moins {count} caractère. Quelques mots que vous seul assembleriez conviennent bien.",
      many: "Au moins {count} caractères. Quelques mots que vous seul assembleriez conviennent bien.",
      other: "Au moins {count} caractères. Quelques mots que vous seul assembleriez conviennent bien.",
    },
    "password.signUp.heading": "Créer un compte",
    "password.signUp.button": "Créer le compte",
    "password.signUp.known": "Vous avez déjà un compte ?",
    "password.signUp.codeHeading": "Consultez vos e-mails",
    "password.signUp.code":
      "Nous avons envoyé un lien et un code à six chiffres à {address}. Ouvrez le lien ou saisissez le code ici. Durée de validité : {duration}.",
    "password.signUp.chooseHeading": "Choisir un mot de passe",
    "password.signUp.choose":
      "Votre adresse est confirmée. Le mot de passe choisi ailleurs n’est pas utilisé : choisissez-en un ici.",
    "password.forgot.heading": "Mot de passe oublié ?",
    "password.forgot.text":
      "Saisissez votre adresse. Nous vous enverrons un lien et un code pour en choisir un nouveau.",
    "password.forgot.button": "Envoyer l’e-mail",
    "password.reset.heading": "Choisir un nouveau mot de passe",
    "password.reset.code":
      "Nous avons envoyé un lien et un code à six chiffres à {address}. Saisissez le code avec votre nouveau mot de passe. Durée de validité : {duration}.",
    "password.reset.text": "Toutes les autres sessions de votre compte seront fermées.",
    "password.reset.button": "Enregistrer le mot de passe",
    "password.change.heading": "Modifier votre mot de passe",
    "password.change.done": "Votre mot de passe a été modifié. Toutes les autres sessions ont été fermées.",
    "password.add.heading": "Ajouter un mot de passe",
    "password.add.text": "Votre compte n’a pas encore de mot de passe. Nous enverrons un code à {address}.",
    "password.add.button": "Envoyer le code",
    "password.fresh.heading": "Veuillez vous reconnecter",
    "password.fresh.text": "Votre mot de passe peut être modifié dans les dix minutes qui suivent la connexion.",
    "password.code.missing": "Rien reçu ? Regardez dans les courriers indésirables ou demandez un autre e-mail.",
    "password.error.missing": "Saisissez un mot de passe.",
    "password.error.too-short": {
      one: "Le mot de passe doit comporter au moins {count} caractère.",
      many: "Le mot de passe doit comporter au moins {count} caractères.",
      other: "Le mot de passe doit comporter au moins {count} caractères.",
    },
    "password.error.too-long": "Le mot de passe est trop long.",
    "password.error.characters": "Le mot de passe contient un caractère qui ne peut pas être saisi partout.",
    "password.error.blocked":
      "Ce mot de passe est facile à deviner : ce n’est guère plus que votre adresse, notre nom ou une répétition. Choisissez-en un autre.",
    "password.error.breached":
      "Ce mot de passe figure sur une liste de mots de passe rendus publics. Choisissez-en un autre et changez-le partout où vous l’utilisez.",
    "password.error.same-as-before": "C’est votre mot de passe actuel. Choisissez-en un autre.",
    "password.error.current": "Le mot de passe actuel est incorrect.",
    "password.error.email": "Nous ne pouvons pas écrire à cette adresse. Vérifiez-la et réessayez.",
    "password.error.mail": "L’e-mail n’a pas pu être envoyé. Ce n’est pas votre faute : réessayez dans un instant.",
    "password.error.code": "Ce code n’est pas le bon. Vérifiez-le et réessayez.",
    "password.error.link":
      "Ce lien ou ce code ne fonctionne plus : il a été utilisé, il est trop ancien, ou quelque chose a changé depuis. Demandez-en un nouveau.",
    "password.error.title": "Erreur",

    "passwordMail.choose": "Choisir un nouveau mot de passe",
    "passwordMail.sign-up.subject": "Confirmez votre adresse pour {host}",
    "passwordMail.sign-up.request":
      "Utilisez ce bouton pour terminer la création de votre compte, ou le code ci-dessous.",
    "passwordMail.sign-up.inText": "Ouvrez ce lien pour terminer la création de votre compte :",
    "passwordMail.sign-up.button": "Créer le compte",
    "passwordMail.sign-up.code": "Ou saisissez ce code là où vous avez choisi votre mot de passe :",
    "passwordMail.sign-up.note":
      "Si vous n’avez pas demandé de compte, ignorez cet e-mail. Aucun compte n’est créé sans le lien ou le code. Ne donnez le code à personne.",
    "passwordMail.known.subject": "Vous avez déjà un compte sur {host}",
    "passwordMail.known.request":
      "Quelqu’un, peut-être vous, a demandé un compte avec cette adresse. Il en existe déjà un : connectez-vous avec lui.",
    "passwordMail.known.note": "Si ce n’était pas vous, ignorez cet e-mail. Rien n’a changé.",
    "passwordMail.reset.subject": "Choisissez un nouveau mot de passe pour {host}",
    "passwordMail.reset.request": "Utilisez ce bouton pour choisir un nouveau mot de passe, ou le code ci-dessous.",
    "passwordMail.reset.inText": "Ouvrez ce lien pour choisir un nouveau mot de passe :",
    "passwordMail.reset.code": "Ou saisissez ce code là où vous l’avez demandé :",
    "passwordMail.reset.note":
      "Si vous ne l’avez pas demandé, ignorez cet e-mail : votre mot de passe reste le même. Ne donnez le code à personne.",
    "passwordMail.unknown.subject": "Aucun compte sur {host} avec cette adresse",
    "passwordMail.unknown.request":
      "Quelqu’un, peut-être vous, a demandé un nouveau mot de passe. Il n’y a pas de compte avec cette adresse : essayez-en une autre.",
    "passwordMail.unknown.button": "Aller à {host}",
    "passwordMail.unknown.note": "Si ce n’était pas vous, ignorez cet e-mail.",
    "passwordMail.no-password.subject": "Votre compte sur {host} n’a pas de mot de passe",
    "passwordMail.no-password.request":
      "Connectez-vous comme auparavant. Vous pourrez ensuite choisir un mot de passe.",
    "passwordMail.no-password.note":
      "Si vous n’avez pas demandé de nouveau mot de passe, ignorez cet e-mail. Rien n’a changé.",
    "passwordMail.add.subject": "Ajouter un mot de passe sur {host}",
    "passwordMail.add.request": "Utilisez le code ci-dessous pour choisir un mot de passe pour votre compte.",
    "passwordMail.add.inText": "Choisissez un mot de passe sur cette page, avec le code ci-dessous :",
    "passwordMail.add.button": "Choisir un mot de passe",
    "passwordMail.add.code": "Saisissez ce code là où vous l’avez demandé :",
    "passwordMail.add.note":
      "Si vous ne l’avez pas demandé, quelqu’un est connecté à votre compte : connectez-vous et fermez les autres sessions. Ne donnez le code à personne.",
    "passwordMail.changed.subject": "Votre mot de passe sur {host} a été modifié",
    "passwordMail.changed.request":
      "Toutes les autres sessions ont été fermées. Si c’était vous, il n’y a rien à faire. Sinon, choisissez maintenant un nouveau mot de passe.",
    "passwordMail.changed.note": "Cet e-mail a été envoyé parce que votre mot de passe a été modifié.",
    "passwordMail.guessed.subject": "Une connexion à {host} après de nombreux mots de passe incorrects",
    "passwordMail.guessed.request":
      "Quelqu’un s’est connecté avec votre mot de passe après de nombreux essais incorrects. Si ce n’était pas vous, choisissez maintenant un nouveau mot de passe.",
    "passwordMail.guessed.note": "Cet e-mail a été envoyé à cause des mots de passe incorrects.",
    "passwordMail.breached.subject": "Votre mot de passe sur {host} a été rendu public",
    "passwordMail.breached.request":
      "Votre mot de passe figure sur une liste de mots de passe rendus publics, quel que soit le site. Choisissez-en un nouveau maintenant.",
    "passwordMail.breached.note": "Cet e-mail a été envoyé à cause de la connexion qui vient d’avoir lieu.",

    "factor.code.heading": "Saisissez votre code",
    "factor.code.text": "Ouvrez votre application d’authentification et saisissez le code à six chiffres pour {host}.",
    "factor.code.label": "Code",
    "factor.code.button": "Continuer",
    "factor.code.recovery": "Utiliser plutôt un code de secours",
    "factor.recovery.heading": "Saisissez un code de secours",
    "factor.recovery.text": "Chacun des codes que vous avez enregistrés fonctionne une fois.",
    "factor.recovery.label": "Code de secours",
    "factor.recovery.totp": "Utiliser plutôt votre application d’authentification",
    "factor.wrong.heading": "Ce code n’a pas fonctionné",
    "factor.wrong.text":
      "Il est peut-être mal saisi, trop ancien ou déjà utilisé. Attendez-en un nouveau et réessayez.",
    "factor.wrong.recovery": "Il est peut-être mal saisi ou déjà utilisé. Vérifiez-le et réessayez.",
    "factor.enroll.heading": "Configurer une deuxième étape",
    "factor.enroll.text":
      "{host} demande un code en plus de votre connexion habituelle. Scannez ceci avec une application d’authentification.",
    "factor.enroll.textNoQr":
      "{host} demande un code en plus de votre connexion habituelle. Ajoutez-le à une application d’authentification avec cette clé.",
    "factor.enroll.qr": "Code QR pour votre application d’authentification",
    "factor.enroll.key": "Clé de configuration",
    "factor.enroll.keyHint": "Impossible de scanner ? Saisissez cette clé dans l’application.",
    "factor.enroll.label": "Code de l’application",
    "factor.saved.heading": "Enregistrez vos codes de secours",
    "factor.saved.text":
      "Chacun vous connecte une fois, si vous perdez votre application d’authentification. Ils ne seront plus affichés.",
    "factor.saved.button": "Continuer vers {host}",
    "factor.link.other": "Se connecter autrement",
  },
}
