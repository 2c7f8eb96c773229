/**
 * SHA-256 of the keys, secrets and passwords of our examples, of the documents of JOSE and JWT, and of common test keys, and of public
 * keys with published private keys, so that production can refuse them without repeating them here.
 */
export const PUBLISHED: ReadonlySet<string> = new Set([
  'a4b7fbda9179055ba005b83fe1d9d558c85e5f6afc2ce4071439ecdab864b98e', // docker/example.env: password of the stores
  'e02ca3dd67cd3f3ecebc4e825e0e167d30abfeb621d9457838e4f72052d06278', // docker/example.env: AADHAAR_API_KEY
  'a3524e7d6d40c80b909115c3737b6256176d0285cab44d6e124f382ce333172a', // docker/example.env: AUDIT_KEYS
  '45e7ed5a5cd27a71ae1710f6e81acc68b662577300e275602bd94c65e54995ef', // docker/example.env: BANK_VERIFICATION_API_KEY
  '221e410187bddfd793e6e642516e5890255047d121c1114faa6a25331c894305', // docker/example.env: DOCUMENT_LOCKER_API_KEY
  'cd35033cee59c53e4fc3b07b56caf5c9bb43f2ca8bcc6acbaa1ff9dbab1897f4', // docker/example.env: EKYC_API_KEY
  'e8bd903bd4c370c2cdd33b5123523786834c4c12f5fcbc270f94f6a787c40b9d', // docker/example.env: FACT_SHEET_KEYS
  '1f3e82a3072d2c9d4fcb2214a407397f3a214c8a4af866d660b8dec083018c9e', // docker/example.env: INDEX_SECRET
  '6484a4ae4f49bab36536b130c8470cef21b628609c1b426073f76f57121eeb08', // docker/example.env: ISSUER_API_KEY
  'cfcef6cfb631f2a350b70a6ab72b20696f65f854aa3649a26b4cc1d2b0f5ce76', // docker/example.env: JWT_KEYS; RFC 7515, A.3
  'e8b27991caec9d0e9c9bfcde1ae389a632d2e19edf23f191d1237c3e2a2765bf', // docker/example.env: OTP_SECRET
  '8a63163cf60f1efe502e0da1d3fc74a6495f216e706b241c367ccf58f2d20b05', // docker/example.env: PAN_REGISTRY_API_KEY
  '3287b3b397d6dc0bbc44c238773042b54618b42d697bfd663fced82bab7e2322', // docker/example.env: PII_KEYS
  '86ac9fbae67c39960df3acc68113a23547de0b838eb5e4e3eb5335c33c34c1cd', // docker/example.env: RATE_LIMIT_SECRET
  'ca5fc90924a00490bce8411ded496e591a12339ef89798ba992354857e302573', // docker/example.env: REFRESH_TOKEN_SECRET
  '9527069fe14c1ef48a82d2a8c6b1046147a6cbbe1dab231c687964972a58cd28', // docker/example.env: SMS_FALLBACK_API_KEY
  'a700bae2089d959a43971bc8bb44b88e282d20b3e070dde4bdb8a7c14f750c1a', // docker/example.env: SMS_PRIMARY_API_KEY
  // thumbprints (RFC 7638) of public keys
  '2fc34706e91a2916e8b08d521dc4e1739e7b0396ad92b8cdc23f37ff83683d4a', // docker/example-partner.jwk.json: RFC 7517, A.1; RFC 7638, 3.1
  '443c583a3bcec569917b6a4e8e0e36c196eb4071b8d317fff42af6f5a9fb2baa', // RFC 7515, A.2, as a public key
  'a8024d4418444e78784c507aa1b265eb03fd65d134362bb813044bb77ce5add3', // RFC 7515, A.3, as a public key
  'fa9dcbecf140bc609010d29e9398637ca2e305bd25fdaff6357d721dcf5b39dc', // RFC 7517, A.1, as a public key
  'c8ecc9361a05e285f04c26f9572131a6deab07e9e2b865053c6f75a4d8bd2b32', // RFC 7515, A.1; RFC 7517, A.3; RFC 7519, 3.1
  'b721879db268e1f89d4348225d22564780c89249878b3630170f49aede2889a1', // RFC 7516, A.1
  '43e4b74131385aec85e1f0764d6693ac5e7cc4977f998cc956e1241a818cfd1d', // RFC 7517, A.2
  '3f0d6c04e0ef9d85414aac6b640c2d2d82c1dba13bb373863a4beb456d3ee4d4', // RFC 7518, C: Alice
  'a5b182889c63ece3b3b0bd9b2b6b5885f5567fcf80a787d2579275ff026e3332', // RFC 7518, C: Bob
  '73ec74458059c70cae3f0ade8663fe0da1dc4b114ed8cdac75364140b4458a4c', // RFC 7520, 3.5
  'fc3e599c97778c116b717ba4e790335eaba5374128e045b0d881f5efb525dafb', // RFC 9500: the test key for P-256
  'e8efff3a73c2821c000ac3a69153111ab6d2a699cfe498a2269ae89d5056b248', // RFC 9901 (SD-JWT): issuer of the examples
  '5aea75451f8107db5d69f8f2676de27c55a9f8bb7101c05e3db4d092a5985f4d', // jwt.io: example of ES256
  'b70385660302dca892f74cdb6d75f73fd85e7564306616e1910970462f7110f0', // RFC 6979, A.2.5
  '644d50ab64864c20a12b3c4656d46b4a48f69ef7c47ecdc8415cd28316b22ef5', // RFC 8032, 7.1; RFC 8037, A.1
  '5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456', // SHA-256 of nothing
  '73641c99f7719f57d8f4beb11a303afcd190243a51ced8782ca6d3dbe014d146', // SHA-256 of "password"
  '3881219d087dd9c634373fd33dfa33a2cb6bfc6c520b64b8bb60ef2ceb534ae7', // SHA-256 of "secret"
  '9543a5106ab937f74bcdb2a774b2196298822f99c3e2fd63f2b6f488a988fac8', // RFC 9421, B.1.3
  '57ca14d520f889be5bc6d9313b442f62a4a71d63fceac507c914683a8944b4a0', // RFC 9421, B.1.5
  '2cd6f10056d08e10430ad5658b5565056c93fcde047563f7e53a56452467c050', // RFC 7520, 3.6
  'dc60a5b74b5e649e5f9559b39933a55b2ba6bbe9a0096d46370e65ecd8f92f1e', // RFC 7520, 5.7
  '136a1bb38b0601aaea1dc7f5facec4989e5196c3ba86cde9b4c608ca22523e4c', // RFC 8225, A
]);
