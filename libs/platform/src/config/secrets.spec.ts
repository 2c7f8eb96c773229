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
    ['RFC 6979, A.2.5', hex('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721')],
    ['RFC 8037, A.1', base64('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A')],
    ['SHA-256 of nothing', createHash('sha256').digest()],
    ['SHA-256 of "password"', createHash('sha256').update('password').digest()],
    ['SHA-256 of "secret"', createHash('sha256').update('secret').digest()],
    ['RFC 9421, P-256', base64('UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs')],
    [
      'RFC 9421, shared',
      base64('uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ'),
    ],
    ['RFC 9500, P-256', hex('e6cb5bdd80aa45ae9c95e8c15476679ffec953c16851e711e743939589c64fc1')],
    ['RFC 9901, issuer', base64('Ur2bNKuBPOrAaxsRnbSH6hIhmNTxSGXshDSUD1a1y7g')],
    ['RFC 7520, 3.6', hex('0003daa40bf82db15b8956b01236a050196e62a379ae19dafbc9ee95d0ef3b1f')],
    ['RFC 7520, 5.7', hex('a82e7b97fbb1726ecd9b72be72de06163c7cb4cd54f0267434b06f750b2d892f')],
    ['RFC 8225, A', hex('5799d51db4f100af72ee46b98c8c7c6e16eec1f89bdf7fede1d20cba5d625945')],
    ['jwt.io, ES256', hex('7af6732f581d005afcf216f6385ff6371029242cc60840dd7d2a7a5503b7d21c')],
  ])('knows the key of %s', (_source, bytes) => {
    expect(isGuessable(bytes)).toBe(true);
  });

  const example = base64('jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI');
  it.each([example.toString('hex'), example.toString('hex').toUpperCase()])(
    'knows a published key in hexadecimal digits: %s',
    (digits) => {
      expect(isGuessable(base64(digits))).toBe(true);
    },
  );

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
      Buffer.concat([Buffer.from('correct horse battery sta'), hex('b11e398dc80327a1c8e7f78c596a49')]),
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
    ['a passphrase in UTF-16', Buffer.from('correct horse battery staple 42!', 'utf16le')],
    [
      'a passphrase in big-endian UTF-16',
      Buffer.from('correct horse battery staple 42!', 'utf16le').swap16(),
    ],
    ['ascending bytes in hexadecimal digits', base64(ascending.toString('hex'))],
    ['the alphabet as base64', base64('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR')],
  ])('recognises %s as a pattern', (_name, bytes) => {
    expect(isGuessable(bytes)).toBe(true);
  });

  it('accepts random bytes, also when their base64 is hexadecimal', () => {
    const keys = Array.from({ length: 5_000 }, (_, i) => createHash('sha256').update(String(i)).digest());
    expect(keys.filter(isGuessable)).toEqual([]);
    for (const more of ['', '00', '0a']) {
      const digits = `${createHash('sha256').update('x').digest('hex')}${more}`;
      for (const text of [digits, digits.toUpperCase()]) expect(isGuessable(base64(text))).toBe(false);
    }
  });
});
