import { createHash } from 'node:crypto';
import { isGuessable, isPublished } from './secrets.js';

const base64 = (text: string): Buffer => Buffer.from(text, 'base64');
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('isPublished', () => {
  it.each(['example-issuer-key', ' example-issuer-key', 'example-issuer-key\t '])(
    'knows a published key of a provider with blanks around it, which a header loses: "%s"',
    (text) => {
      expect(isPublished(text)).toBe(true);
      expect(isPublished(`own-${text}`)).toBe(false);
    },
  );
});

describe('isGuessable', () => {
  it.each([
    [
      'RFC 7515, A.1',
      base64('AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow'),
    ],
    ['RFC 7515, A.3', base64('jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI')],
    ['RFC 7516, A.1', hex('b1a1f480548fe1733fb403ff6b9ad4f68a076e5b702e22692f82cb2e7aea40fc')],
    ['RFC 7517, A.2', base64('870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE')],
    ['RFC 7518, C: Alice', base64('0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo')],
    ['RFC 7518, C: Bob', base64('VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw')],
    ['RFC 7520, 3.5', base64('hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg')],
    ['RFC 5903, initiator', hex('c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433')],
    ['RFC 5903, responder', hex('c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53')],
    ['RFC 6979, A.2.5', hex('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721')],
    ['RFC 8037, A.1', base64('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A')],
    ['RFC 8291, application server', base64('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw')],
    ['RFC 8291, user agent', base64('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94')],
    ['RFC 8392, A.2.2', hex('403697de87af64611c1d32a05dab0fe1fcb715a86ab435f1ec99192d79569388')],
    ['RFC 8439, A.5', hex('1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0')],
    ['RFC 3686, 6: #7', hex('776beff2851db06f4c8a0542c8696f6c6a81af1eec96b4d37fc1d689e6c1c104')],
    ['RFC 3686, 6: #8', hex('f6d66d6bd52d59bb0796365879eff886c66dd51a5b6a99744b50590c87a23884')],
    ['RFC 3686, 6: #9', hex('ff7a617ce69148e4f1726e2f43581de2aa62d9f805532edff1eed687fb54153d')],
    ['RFC 5869, A.1: PRK', hex('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5')],
    ['RFC 5869, A.1: OKM', hex('3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf')],
    ['RFC 5869, A.2: PRK', hex('06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244')],
    ['RFC 5869, A.2: OKM', hex('b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c')],
    ['RFC 5869, A.3: PRK', hex('19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04')],
    ['RFC 5869, A.3: OKM', hex('8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d')],
    ['RFC 8392, A.2.3', hex('6c1382765aec5358f117733d281c1c7bdc39884d04a45a1e6c67c858bc206c19')],
    ['RFC 9052, Meriadoc', hex('aff907c99f9ad3aae6c4cdf21122bce2bd68b5283e6907154ad911840fa208cf')],
    ['RFC 9052, 11', hex('57c92077664146e876760c9520d054aa93c3afb04e306705db6090308507b4d3')],
    ['RFC 9052, Peregrin', hex('02d1f7e6f26c43d4868d87ceb2353161740aacf1f7163647984b522a848df1c3')],
    ['SP 800-38A', hex('603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4')],
    ['SHA-256 of nothing', createHash('sha256').digest()],
    ['SHA-256 of "password"', createHash('sha256').update('password').digest()],
    ['SHA-256 of "secret"', createHash('sha256').update('secret').digest()],
    ['RFC 9421, P-256', base64('UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs')],
    [
      'RFC 9421, shared',
      base64('uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ'),
    ],
    ['RFC 4754, 8.1', hex('dc51d3866a15bacde33d96f992fca99da7e6ef0934e7097559c27f1614c88a7f')],
    ['RFC 9500, P-256', hex('e6cb5bdd80aa45ae9c95e8c15476679ffec953c16851e711e743939589c64fc1')],
    ['RFC 9901, issuer', base64('Ur2bNKuBPOrAaxsRnbSH6hIhmNTxSGXshDSUD1a1y7g')],
    ['jwt.io, ES256', hex('7af6732f581d005afcf216f6385ff6371029242cc60840dd7d2a7a5503b7d21c')],
  ])('knows the key of %s', (_source, bytes) => {
    expect(isGuessable(bytes)).toBe(true);
  });

  const example = base64('jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI');
  const output = 'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c';
  it.each<[string, Buffer]>([
    ['in hexadecimal digits', base64(example.toString('hex'))],
    ['in hexadecimal digits with capitals', base64(example.toString('hex').toUpperCase())],
    // base64 of 66 characters has lost the last digit
    ['at the start of 66 hexadecimal digits', base64(`${example.toString('hex')}7c`)],
    ['at the start of 66 capital hexadecimal digits', base64(`${example.toString('hex')}7C`.toUpperCase())],
    ['at the end of 66 hexadecimal digits', base64(`07${output}`)],
    ['at the end of 66 capital hexadecimal digits', base64(`07${output}`.toUpperCase())],
    ['after 0x', base64(`0x${example.toString('hex')}`)],
    ['after 0X, with capitals', base64(`0X${example.toString('hex').toUpperCase()}`)],
    ...[65, 67, 68, 69, 70, 71].flatMap((count): [string, Buffer][] => {
      const more = 'a5c73f9'.slice(0, count - 64);
      return [
        [`at the start of ${count} hexadecimal digits`, base64(example.toString('hex') + more)],
        [`at the end of ${count} hexadecimal digits`, base64(more + example.toString('hex'))],
        [
          `within ${count} hexadecimal digits`,
          base64(`${more.slice(1)}${example.toString('hex')}${more[0]}`),
        ],
      ];
    }),
    ['from the last byte to the first', Buffer.from(example).reverse()],
    ['with a byte behind it', Buffer.concat([example, hex('07')])],
    ['with a byte before it', Buffer.concat([hex('07'), example])],
    ['between others', Buffer.concat([hex('0102'), example, hex('030405')])],
    ['twice', Buffer.concat([example, example])],
    ['negated, with the same x', hex('7164ef608e6f674167fb7820e0a28815f1bd9a3ee8457849946208af1cde309f')],
  ])('knows a published key %s', (_way, bytes) => {
    expect(isGuessable(bytes)).toBe(true);
  });

  const ascending = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
  it.each<[string, Buffer]>([
    ['zeros', Buffer.alloc(32)],
    ['one, as a private key', hex('1'.padStart(64, '0'))],
    ['ascending bytes', ascending],
    ['descending bytes', Buffer.from(ascending).reverse()],
    ['steps of seven', Buffer.from(ascending.map((byte) => byte * 7))],
    ['sixteen bytes twice', Buffer.concat([ascending, ascending].map((half) => half.subarray(3, 19)))],
    [
      'sixteen bytes and their mirror image',
      hex(`${'0f1d8b5c93a2e47b66d0c1fe25a8793c'}${'3c79a825fec1d0667be4a2935c8b1d0f'}`),
    ],
    ['a passphrase', Buffer.from('correct horse battery staple 42!')],
    ['a passphrase before zeros', Buffer.from('a secret of our own, of 36 letters\0\0\0\0')],
    [
      'a passphrase before random bytes',
      Buffer.concat([Buffer.from('correct horse battery sta'), hex(output)]),
    ],
    ['a passphrase in Devanagari', Buffer.from('यह एक गुप्त कुंजी है')],
    ['hexadecimal digits as bytes', Buffer.from(createHash('sha256').update('x').digest('hex'))],
    ['a placeholder as base64', base64('changeme-changeme-changeme-changeme-changeme')],
    ['words as base64', base64('this-is-the-key-of-the-onboarding-service-42')],
    ['words with capitals as base64', base64('Example-Key-Of-The-Onboarding-Service-Number42')],
    [
      'a passphrase in hexadecimal digits',
      base64(Buffer.from('correct horse battery staple 42!').toString('hex')),
    ],
    [
      'a passphrase in hexadecimal digits after 0X',
      base64(`0X${Buffer.from('correct horse battery staple 42!').toString('hex')}`),
    ],
    ['a passphrase in UTF-16', Buffer.from('correct horse battery staple 42!', 'utf16le')],
    [
      'a passphrase in big-endian UTF-16',
      Buffer.from('correct horse battery staple 42!', 'utf16le').swap16(),
    ],
    [
      'a passphrase in 66 hexadecimal digits',
      base64(Buffer.from('correct horse battery staple 42!z').toString('hex')),
    ],
    ['ascending bytes in hexadecimal digits', base64(ascending.toString('hex'))],
    ['the alphabet as base64', base64('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR')],
  ])('recognises %s as a pattern', (_name, bytes) => {
    expect(isGuessable(bytes)).toBe(true);
  });

  it('accepts random bytes, also when their base64 is hexadecimal', () => {
    for (let i = 0; i < 5_000; i++) {
      const random = createHash('sha512').update(String(i)).digest();
      expect(isGuessable(random.subarray(0, 32))).toBe(false);
      expect(isGuessable(random)).toBe(false);
    }
    for (const more of ['', '00', '0a']) {
      const digits = `${createHash('sha256').update('x').digest('hex')}${more}`;
      for (const text of [digits, digits.toUpperCase()]) expect(isGuessable(base64(text))).toBe(false);
    }
  });
});
