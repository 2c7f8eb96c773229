import { createHash, randomBytes } from 'node:crypto';
import { isGuessable, isPublished, isWeak } from './secrets.js';

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

describe('isWeak', () => {
  it.each([
    ['a short one', 'elevenchars'],
    ['blanks around a short one', `x${' '.repeat(20)}`],
    ['few characters', 'aaabbbcccddd'],
    ['a repeated one', 'abc123abc123'],
    ['a sequence', '123456789012'],
    ['two alternating sequences', 'a1b2c3d4e5f6'],
    ['a mirrored one', 'abcdefgfedcba'],
    ['a word of placeholders and a year', 'Password-2026'],
    ['words of placeholders and a sequence', 'changeme-secret-123456'],
    ['a place for a key', '<your-key-here>'],
    ['a place for an API key', 'YOUR_API_KEY_HERE'],
  ])('knows %s', (_kind, text) => {
    expect(isWeak(text)).toBe(true);
  });

  it('accepts random passwords and keys in the forms of vendors', () => {
    const forms = [16, 20, 32].flatMap((size) => {
      const bytes = randomBytes(size);
      return [bytes.toString('base64url'), bytes.toString('hex'), `cfsk_ma_prod_${bytes.toString('hex')}`];
    });
    expect(forms.filter(isWeak)).toEqual([]);
    expect(isWeak('correct-horse')).toBe(false);
  });
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

  it.each(
    Object.entries({
      'RFC 5114, A.6': [
        '814264145f2f56f2e96a8e337a1284993faf432a5abce59e867b7291d507a3af',
        '2ce1788ec197e096db95a200cc0ab26a19ce6bccad562b8eee1b593761cf7f41',
      ],
      'RFC 6605, 6.1': ['194e929d0fcebbec42e51ba6b88508b8966d7974f6cf43bfa24d6cdfc12dea64'],
      'RFC 7520, 3.6': ['0003daa40bf82db15b8956b01236a050196e62a379ae19dafbc9ee95d0ef3b1f'],
      'RFC 7520, 5.7': ['a82e7b97fbb1726ecd9b72be72de06163c7cb4cd54f0267434b06f750b2d892f'],
      'RFC 7636, B': ['7418dfb49799e0254ffa607dd8adbbba16d4254d69d6bff05b58055853848d79'],
      'RFC 7748, 5.2': [
        'a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4',
        '4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d',
      ],
      'RFC 7748, 6.1': [
        '77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a',
        '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb',
      ],
      'RFC 8032, 7.1': [
        '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
        'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
        'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
        '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
      ],
      'RFC 8032, 7.2': ['0305334e381af78f141cb666f6199f57bc3495335a256a95bd2a55bf546663f6'],
      'RFC 8225, A': ['5799d51db4f100af72ee46b98c8c7c6e16eec1f89bdf7fede1d20cba5d625945'],
      'RFC 8410, 10.3': ['d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842'],
      'RFC 8448, 3': [
        '49af42ba7f7994852d713ef2784bcbcaa7911de26adc5642cb634540e7ea5005',
        'b1580eeadf6dd589b8ef4f2d5652578cc810e9980191ec8d058308cea216a21e',
      ],
      'RFC 8448, 5': ['ab5473467e19346ceb0a0414e41da21d4d2445bc3025afe97c4e8dc8d513da39'],
      'RFC 9180, A.3': [
        '4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb',
        'f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2',
        '57427244f6cc016cddf1c19c8973b4060aa13579b4c067fd5d93a5d74e32a90f',
        '438d8bcef33b89e0e9ae5eb0957c353c25a94584b0dd59c991372a75b43cb661',
        '0247fd33b913760fa1fa51e1892d9f307fbe65eb171e8132c2af18555a738b82',
        '6b8de0873aed0c1b2d09b8c7ed54cbf24fdf1dfc7a47fa501f918810642d7b91',
        'd929ab4be2e59f6954d6bedd93e638f02d4046cef21115b00cdda2acb2a4440e',
        '1120ac99fb1fccc1e8230502d245719d1b217fe20505c7648795139d177f0de9',
        '36f771e411cf9cf72f0701ef2b991ce9743645b472e835fe234fb4d6eb2ff5a0',
        'bdf4e2e587afdf0930644a0c45053889ebcadeca662d7c755a353d5b4e2a8394',
        'b0ed8721db6185435898650f7a677affce925aba7975a582653c4cb13c72d240',
      ],
      'RFC 9180, A.4': [
        '2292bf14bb6e15b8c81a0f45b7a6e93e32d830e48cca702e0affcfb4d07e1b5c',
        '3ac8530ad1b01885960fab38cf3cdc4f7aef121eaa239f222623614b4079fb38',
        'a5901ff7d6931959c2755382ea40a4869b1dec3694ed3b009dda2d77dd488f18',
        'bc6f0b5e22429e5ff47d5969003f3cae0f4fec50e23602e880038364f33b8522',
        '93cddd5288e7ef4884c8fe321d075df01501b993ff49ffab8184116f39b3c655',
        '1ea4484be482bf25fdb2ed39e6a02ed9156b3e57dfb18dff82e4a048de990236',
        '02b266d66919f7b08f42ae0e7d97af4ca98b2dae3043bb7e0740ccadc1957579',
        '778f2254ae5d661d5c7fca8c4a7495a25bd13f26258e459159f3899df0de76c1',
        '00510a70fde67af487c093234fc4215c1cdec09579c4b30cc8e48cb530414d0e',
        'd743b20821e6326f7a26684a4beed7088b35e392114480ca9f6c325079dcf10b',
      ],
      'RFC 9180, A.5': [
        '7550253e1147aae48839c1f8af80d2770fb7a4c763afe7d0afa7e0f42a5b3689',
        'a4d1c55836aa30f9b3fbb6ac98d338c877c2867dd3a77396d13f68d3ab150d3b',
        '7d6e4e006cee68af9b3fdd583a0ee8962df9d59fab029997ee3f456cbc857904',
        '12ecde2c8bc2d5d7ed2219c71f27e3943d92b344174436af833337c557c300b3',
        '085fd5d5e6ce6497c79df960cac93710006b76217d8bcfafbd2bb2c20ea03c42',
        '3cb2c125b8c5a81d165a333048f5dcae29a2ab2072625adad66dbb0f48689af9',
        '39b19402e742d48d319d24d68e494daa4492817342e593285944830320912519',
        '11b7e4de2d919240616a31ab14944cced79bc2372108bb98f6792e3b645fe546',
        'c29fc577b7e74d525c0043f1c27540a1248e4f2c8d297298e99010a92e94865c',
        '53541bd995f874a67f8bfd8038afa67fd68876801f42ff47d0dc2a4deea067ae',
      ],
      'RFC 9382, B': [
        '2ee57912099d31560b3a44b1184b9b4866e904c49d12ac5042c97dca461b1a5f',
        '43dd0fd7215bdcb482879fca3220c6a968e66d70b1356cac18bb26c84a78d729',
        'dcb60106f276b02606d8ef0a328c02e4b629f84f89786af5befb0bc75b6e66be',
      ],
      'RFC 9383, C': [
        'd1232c8e8693d02368976c174e2088851b8365d0d79a9eee709c6a05a2fad539',
        '717a72348a182085109c8d3917d6c43d59b224dc6a7fc4f0483232fa6516d8b3',
        'bb8e1bbcf3c48f62c08db243652ae55d3e5586053fca77102994f23ad95491b3',
        '7e945f34d78785b8a3ef44d0df5a1a97d6b3b460409a345ca7830387a74b1dba',
      ],
      'RFC 9497, A.3': [
        '159749d750713afe245d2d39ccfaae8381c53ce92d098a9375ee70739c7ac0bf',
        'ca5d94c8807817669a51b196c34c1b7f8442fde4334a7121ae4736364312fca6',
        '6ad2173efa689ef2c27772566ad7ff6e2d59b3b196f00219451fb2c89ee4dae2',
      ],
      'RFC 9529, 3': [
        '368ec1f69aeb659ba37d5a8d45b21bdc0299dceaa8ef235f3ca42ce3530f9525',
        'e2f4126777205e853b437d6eaca1e1f753cdcc3e2c69fa884b0a1a640977e418',
        '72cc4761dbd4c78f758931aa589d348d1ef874a7e303ede2f140dcf3e6aa4aac',
        'fb13adeb6518cee5f88417660841142e830a81fe334380a953406a1305e8706b',
      ],
      'RFC 9591, E.4': ['8ba9bba2e0fd8c4767154d35a0b7562244a4aaf6f36c8fb8735fa48b301bd8de'],
      'RFC 9807, C.1': ['c36139381df63bfc91c850db0b9cfbec7a62e86d80040a41aa7725bf0e79d5e5'],
    }),
  )('knows the keys of %s', (_source, keys) => {
    expect(keys.filter((key) => !isGuessable(hex(key)))).toEqual([]);
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
    const random = Array.from({ length: 5_000 }, (_, i) => createHash('sha512').update(String(i)).digest());
    const keys = random.map((bytes) => bytes.subarray(0, 32));
    // long secrets contain 33 keys each, which are compared too
    expect([...keys, ...random.slice(0, 500)].filter(isGuessable)).toEqual([]);
    for (const more of ['', '00', '0a']) {
      const digits = `${createHash('sha256').update('x').digest('hex')}${more}`;
      for (const text of [digits, digits.toUpperCase()]) expect(isGuessable(base64(text))).toBe(false);
    }
  });
});
