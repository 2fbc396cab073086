import type { AuthRequest } from "../../http/request.js"
import { english, type FindLocale } from "../../messages/locale.js"
import { translateFrom } from "../../messages/translate.js"
import { deviceMessages, findDevice } from "../../session/device.js"

/**
 * Names a new passkey: after the password manager or security key that created it, else after browser and system, in the
 * language of the request. It helps its owner to recognize it and proves nothing, because both can be forged. Undefined
 * if nothing is known.
 * @param aaguid The model of the authenticator. Without attestation, many browsers send zeros.
 */
export async function namePasskey(
  aaguid: string,
  request: AuthRequest,
  findLocale: FindLocale,
): Promise<string | undefined> {
  const authenticator = findAuthenticator(aaguid)
  if (authenticator !== undefined) return authenticator
  const { browser, system } = findDevice(request.headers.get("user-agent"))
  if (!browser || !system) return browser ?? system ?? undefined
  const locale = (await findLocale(request)) ?? english
  return translateFrom(deviceMessages, "account.", locale)("sessions.device", { browser, system })
}

/** @internal Exported for its tests. */
export function findAuthenticator(aaguid: string): string | undefined {
  const isOne = ([, models]: readonly [string, string]): boolean => models.trim().split(/\s+/).includes(aaguid)
  return aaguid === "" ? undefined : Object.entries(authenticators).find(isOne)?.[0]
}

/**
 * The AAGUIDs of widespread authenticators, by the name that users know. From the FIDO Metadata Service and the list of
 * the passkey community, as collected in `aaguids` 0.0.44 (MIT); names of variants are joined. A browser's own store has
 * none here, because the names of browser and system say more.
 * @see https://github.com/passkeydeveloper/passkey-authenticator-aaguids
 * @internal Exported for its tests.
 */
export const authenticators: Readonly<Record<string, string>> = {
  "iCloud Keychain": `
    dd4ec289-e01d-41c9-bb89-70fa845d4bf2 fbfc3007-154e-4ecc-8c0b-6e020557d7bd`,
  "Google Password Manager": "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4",
  "Windows Hello": `
    08987058-cadc-4b81-b6e1-30de50dcbe96 6028b017-b1d4-4c02-b4b3-afcdafc96bb2 9ddd1817-af5a-4672-a2b9-3e3dd95000a9`,
  "Samsung Pass": "53414d53-554e-4700-0000-000000000000",
  "1Password": "bada5566-a7aa-401f-bd96-45619a55120d",
  Bitwarden: "d548826e-79b4-db40-a3d8-11116f7e8349",
  Dashlane: "531126d6-e717-415c-9320-3d9aa6981239",
  Enpass: "f3809540-7f14-49c1-a8b3-8f813b225541",
  KeePassDX: "eaecdef2-1c31-5634-8639-f1cbd9c00a08",
  KeePassXC: "fdb141b2-5d84-443e-8a35-4698c205a502",
  Keeper: "0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6",
  LastPass: "b78a0a55-6ef8-d246-a042-ba0f6d55050c",
  NordPass: "b84e4048-15dc-4dd0-8640-f4f60813c8af",
  "Proton Pass": "50726f74-6f6e-5061-7373-50726f746f6e",
  AliasVault: "a11a5faa-9f32-4b8c-8c5d-2f7d13e8c942",
  Devolutions: "de503f9c-21a4-4f76-b4b7-558eb55c6f89",
  "Heimlane Vault": "d49b2120-b865-4191-8cea-be84a52b0485",
  "Kaspersky Password Manager": "a10c6dd9-465e-4226-8198-c7c44b91c555",
  LogMeOnce: "22248c4c-7a12-46e2-9a41-44291b373a4d",
  "Microsoft Password Manager": "d3452668-01fd-4c12-926c-83a4204853aa",
  "Zoho Vault": "b35a26b2-8f6e-4697-ab1d-d44db4da28c6",
  iPasswords: "bfc748bb-3429-4faa-b9f9-7cfa9f3b76d0",
  pwSafe: "d350af52-0351-4ba2-acd3-dfeeadc3f764",
  "YubiKey 5 NFC": `
    1ac71f64-468d-4fe0-bef1-0e5f2f551f18 2fc0579f-8113-47ea-b116-bb5a8db9202a 662ef48a-95e2-4aaa-a6c1-5b9c40375824
    6ab56fad-881f-4a43-acb2-0be065924522 9eb7eabc-9db5-49a1-b6c3-555a802093f4 a25342c0-3cdc-4414-8e46-f4807fca511c
    b2c1a50b-dad8-4dc7-ba4d-0ce9597904bc d7781e5d-e353-46aa-afe2-3ca49f13332a fa2b99dc-9e39-4257-8f92-4a30d23c4118`,
  "YubiKey 5Ci": `
    24673149-6c86-42e7-98d9-433fb5b73296 3b24bf49-1d45-4484-a917-13175df0867b a02167b9-ae71-4ac7-9a07-06432ebb6f1c
    b90e7dc1-316e-4fee-a25a-56a666a670fe c5ef55ff-ad9a-4b9f-b580-adebafe026d0`,
  "YubiKey 5": `
    19083c3d-8383-4b18-bc03-8f1c9ab2fd1b 20ac7a17-c814-4833-93fe-539f0d5e3389 4599062e-6926-4fe7-9566-9e8fb1aedaa0
    cb69481e-8ff7-4039-93ec-0a2729a154a8 ee882879-721c-4913-9775-3dfcce97072a ff4dac45-ede8-4ec2-aced-cf66103f4335`,
  "YubiKey 5 FIPS": `
    3a662962-c6d4-4023-bebb-98ae92e78e20 57f7de54-c807-4eab-b1c6-1c9be7984e92 73bb0cd4-e502-49b8-9c6f-b59445bf720b
    79f3c8ba-9e35-484b-8f47-53a5a0f5c630 7b96457d-e3cd-432b-9ceb-c9fdd7ef7432 85203421-48f9-4355-9bc8-8a53846e5083
    905b4cb4-ed6f-4da9-92fc-45e0d4e9b5c7 c1f9a0bc-1dd2-404a-b27f-8e29047a43fd fcc0118f-cd45-435b-8da1-9782b2da0715`,
  "YubiKey 5 CCN": `
    3aa78eb1-ddd8-46a8-a821-8f8ec57a7bd5 4fc84f16-2545-4e53-b8fc-7bf4d7282a10`,
  "YubiKey Bio": `
    34744913-4f57-4e6e-a527-e9ec3c4b94e6 58276709-bb4b-4bb3-baf1-60eea99282a7 6ec5cff2-a0f9-4169-945b-f33b563f7b99
    7409272d-1ff9-4e10-9fc9-ac0019c124fd 7d1351a6-e097-4852-b8bf-c9ac5c9ce4a3 83c47309-aabb-4108-8470-8be838b573cb
    8c39ee86-7f9a-4a95-9ba3-f6b097e5c2ee 90636e1f-ef82-43bf-bdcf-5255f139d12f 97e6a830-c952-4740-95fc-7c78dc97ce47
    ad08c78a-4e41-49b9-86a2-ac15b06899e2 d8522d9f-575b-4866-88a9-ba99fa02f35b dd86a2da-86a0-4cbe-b462-4bd31f57bc6f`,
  "Security Key by Yubico": `
    0bb43545-fd2c-4185-87dd-feb0b2916ace 149a2021-8ef6-4133-96b8-81f8d5b7f1f5 47ab2fb4-66ac-4184-9ae1-86be814012d5
    6d44ba9b-f6ec-2e49-b930-0c8fe920cb73 72c6b72d-8512-4c66-8359-9d3d10d9222f 9ff4cc65-6154-4fff-ba09-9e2af7882ad2
    a4e9fc6d-4cbe-4758-b8ba-37598bb5bbaa b7d3f68e-88a6-471e-9ecf-2df26d041ede b92c3f9a-c014-4056-887f-140a2501163b
    e77e3c64-05e3-428b-8824-0cbeb04b829d ed042a3a-4b22-4455-bb69-a267b652ae7e f8a011f3-8c0a-4d15-8006-17111f9edc7d`,
  "Google Titan Security Key": "42b4fb4a-2866-43b2-9bf7-6c6669c2e5d3",
  "Nitrokey 3": "2cd2f727-f6ca-44da-8f48-5c2e5da000a2",
  SoloKey: `
    8876631b-d4a0-427f-5773-0ec71c9e0279 8976631b-d4a0-427f-5773-0ec71c9e0279`,
  OnlyKey: "998f358b-2dd2-4cbe-a43a-e8107438dfb3",
  "Feitian BioPass": `
    2bff89f2-323a-48fc-b7c8-9ff7fe87c07e 42df17de-06ba-4177-a2bb-6701be1380d6 4c0cf95d-2f40-43b5-ba42-4c83a11c04ba
    77010bd7-212a-4fc9-b236-d2ca5e9d4084 a02140b7-0cbd-42e1-a9b5-a39da2545114 b6ede29c-3772-412c-8a78-539c1f4c62d2`,
  "Feitian ePass": `
    12755c32-8ad1-46eb-881c-e0b38d848b09 234cd403-35a2-4cc2-8015-77ea280c77f5 260e3021-482d-442d-838c-7edfbe153b7e
    39589099-9a75-49fc-afaa-801ca211c62a 3e22415d-7fdf-4ea4-8a0c-dd60c4249b9d 78ba3993-d784-4f44-8d6e-cc0a8ad5230e
    833b721a-ff5f-4d00-bb2e-bdda3ec01e29 ee041bce-25e5-4cdb-8f86-897fd6418464`,
  "Swissbit iShield Key": `
    5d629218-d3a5-11ed-afa1-0242ac120002 5eaff75a-dd43-451f-af9f-87c9eeae293e 7787a482-13e8-4784-8a06-c7ed49a7aaf4
    817cdab8-0d51-4de1-a821-e25b88519cf3 931327dd-c89b-406c-a81e-ed7058ef36c6 e400ef8c-711d-4692-af46-7f2cf7da23ad`,
  "HID Crescendo": `
    13ac47cf-1d78-4fd5-9060-aedaabacf826 2a55aee6-27cb-42c0-bc6e-04efe999e88a 2d3bec26-15ee-4f5d-88b2-53622490270b
    54d9fee8-e621-4291-8b18-7157b99c5bec 692db549-7ae5-44d5-a1e5-dd20a493b723 7991798a-a7f3-487f-98c0-3faf7a458a04
    8eec9bf9-486c-46da-9a67-1fbb4f66b9ed aa79f476-ea00-417e-9628-1e8365123922 aeb6569c-f8fb-4950-ac60-24ca2bbe2e52
    c4ddaf11-3032-4e77-b3b9-3a340369b9ad c80dbd9a-533f-4a17-b941-1a2f1c7cedff`,
  "SafeNet eToken": `
    050dd0bc-ff20-4265-8d5d-305c4b215192 10c70715-2a9a-4de1-b0aa-3cff6d496d39 146e77ef-11eb-4423-b847-ce77864e9411
    23786452-f02d-4344-87ed-aaf703726881 74820b05-a6c9-40f9-8fb0-9f86aca93998 c3f47802-de73-4dfc-ba22-671fe3304f90
    d716019a-9f4e-4041-9750-17c78f8ae81a efb96b10-a9ee-4b6c-a4a9-d32125ccd4a4`,
  "Thales IDPrime": `
    2194b428-9397-4046-8f39-007a1605a482 2ffd6452-01da-471f-821b-ea4bf6c8676a 4d41190c-7beb-4a84-8018-adf265a6352d
    b50d5e0a-7f81-4959-9b12-f45407407503 ca4cff1b-5a81-4404-8194-59aabcf1660b`,
  "Token2 Security Key": `
    ab32f0c6-2239-afbb-c470-d2ef4e254db7 eabb46cc-e241-80bf-ae9e-96fa6d2975cf`,
  "GoTrust Idem Key": `
    3b1adb99-0dfe-46fd-90b8-7f7614a4de2a 9f0d8150-baa5-4c00-9299-ad62c8bb4e87 c611b55c-77b2-4527-8082-590e931b2f08`,
  ATKey: `
    ba76a271-6eb6-4171-874d-b6428dbe3437 d41f5a69-b817-4144-a13c-9ebd6d9254d6 da1fa263-8b25-42b6-a820-c0036f21ba7f
    e1a96183-5016-4f24-b55b-e3ae23614cc6 e416201b-afeb-41ca-a03d-2281c28322aa`,
  "Kensington VeriMark": `
    76692dc1-c56a-48d9-8e7d-31b5ced430ac d94a29d9-52dd-4247-9c2d-8b818b610389 ee7fa1e0-9539-432f-bd43-9c2fc6d4f311`,
  OneKey: `
    69e7c36f-f2f6-9e0d-07a6-bcc243262e6b 70e7c36f-f2f6-9e0d-07a6-bcc243262e6b`,
  "RSA Authenticator": `
    59f85fe7-faa5-4c92-9f52-697b9d4d5473 8681a073-5f50-4d52-bce4-e21658d207b3`,
  "RSA DS100": "7e3f3d30-3557-4442-bdae-139312178b39",
  "Hideez Key": `
    3e078ffd-4c54-4586-8baa-a77da113aec5 4e768f2c-5fab-48b3-b300-220eb487752b`,
  HyperFIDO: `
    23195a52-62d9-40fa-8ee5-23b173f4fb52 6999180d-630c-442d-b8f7-424b90a43fae 9f77e279-a6e2-4d58-b700-31e5943c6a98
    d821a7d4-e97c-4cb6-bd82-4237731fd4be`,
  "OneSpan DIGIPASS": `
    30b5035e-d297-4ff1-010b-addc96ba6a98 30b5035e-d297-4ff1-020b-addc96ba6a98 30b5035e-d297-4ff1-b00b-addc96ba6a98
    30b5035e-d297-4ff2-010b-addc96ba6a98 30b5035e-d297-4ff7-010b-addc96ba6a98 30b5035e-d297-4ff7-020b-addc96ba6a98
    30b5035e-d297-4ff7-030b-addc96ba6a98 30b5035e-d297-4ff7-b00b-addc96ba6a98`,
  Arculus: `
    3f59672f-20aa-4afe-b6f4-7e5e916b6d98 9d3df6ba-282f-11ed-a261-0242ac120002`,
  "Token Ring": `
    91ad6b93-264b-4987-8737-3a690cad6917 c62100de-759b-4bf8-b22b-63b3e3a80401`,
  IDmelon: `
    39a5647e-1853-446c-a1f6-a79bae9f5bc7 820d89ed-d65a-409e-85cb-f73f0578f82a`,
  "Ledger Flex": "1d8cac46-47a1-3386-af50-e88ae46fe802",
  "Ledger Nano S": "341e4da9-3c2e-8103-5a9f-aad887135200",
  "Ledger Nano S Plus": "58b44d0b-0a7c-f33a-fd48-f7153c871352",
  "Ledger Nano X": "fcb1bcb4-f370-078c-6993-bc24d0ae3fbe",
  "Ledger Stax": "6e24d385-004a-16a0-7bfe-efd963845b34",
}
