import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** Both in PEM. */
interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * Makes a self-signed certificate for the names of this machine.
 * @param hostname one more name or address
 */
export async function selfSigned(hostname: string): Promise<Certificate> {
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname.replace(/^\[|\]$/g, '')])];
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}
