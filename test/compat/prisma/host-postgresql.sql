CREATE TABLE "people" (
    "id" UUID NOT NULL PRIMARY KEY DEFAULT gen_random_uuid(),
    "full_name" TEXT,
    "email" TEXT UNIQUE,
    "verified_at" TIMESTAMP(3),
    "image" TEXT,
    "role" TEXT NOT NULL DEFAULT 'reader',
    "settings" JSONB
);

CREATE TABLE "identities" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "userId" UUID NOT NULL REFERENCES "people" ("id") ON DELETE CASCADE,
    "type" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "providerAccountId" TEXT NOT NULL,
    "refresh_token" TEXT,
    "access_token" TEXT,
    "expires_at" BIGINT,
    "token_type" TEXT,
    "scope" TEXT,
    "id_token" TEXT,
    "session_state" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,
    UNIQUE ("provider", "providerAccountId")
);

CREATE TABLE "visits" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sessionToken" TEXT NOT NULL UNIQUE,
    "userId" UUID NOT NULL REFERENCES "people" ("id") ON DELETE CASCADE,
    "expires" TIMESTAMP(3) NOT NULL
);

CREATE TABLE "mailed" (
    "identifier" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "expires" TIMESTAMP(3) NOT NULL,
    UNIQUE ("identifier", "token")
);

CREATE TABLE "passkeys" (
    "credentialID" TEXT NOT NULL UNIQUE,
    "userId" UUID NOT NULL REFERENCES "people" ("id") ON DELETE CASCADE,
    "providerAccountId" TEXT NOT NULL,
    "credentialPublicKey" TEXT NOT NULL,
    "counter" BIGINT NOT NULL,
    "credentialDeviceType" TEXT NOT NULL,
    "credentialBackedUp" BOOLEAN NOT NULL,
    "transports" TEXT,
    PRIMARY KEY ("userId", "credentialID")
);
