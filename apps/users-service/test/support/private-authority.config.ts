import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '@fd/testing';
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;
const EC = { keyType: 'ec', algorithm: 'sha256' } as const;

/** A certificate authority that only a test trusts. */
export class PrivateAuthority {
  private issued = 0;

  private constructor(
    private readonly folder: string,
    private readonly ca: { readonly key: string; readonly cert: string },
  ) {}

  static async create(): Promise<PrivateAuthority> {
    const made = await generate([{ name: 'commonName', value: `authority ${randomUUID()}` }], {
      ...EC,
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    const authority = new PrivateAuthority(mkdtempSync(join(tmpdir(), 'fd-certificates-')), {
      key: made.private,
      cert: made.cert,
    });
    writeFileSync(authority.file, made.cert);
    return authority;
  }

  /** File with its own certificate. */
  get file(): string {
    return join(this.folder, 'ca.pem');
  }

  /**
   * Issues a certificate for a server at 127.0.0.1, or for a client.
   * @param days of validity from now; negative: expired
   * @param name of the client, such as a role of PostgreSQL
   */
  async issue(days = 2, name = 'A server of a test'): Promise<TlsFiles> {
    const now = Date.now();
    const made = await generate([{ name: 'commonName', value: name }], {
      ...EC,
      ca: this.ca,
      notBeforeDate: new Date(now - 3 * DAY_MS),
      notAfterDate: new Date(now + days * DAY_MS),
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    const server = join(this.folder, `server-${this.issued++}`);
    const files = { certificate: `${server}.pem`, key: `${server}.key`, ca: this.file };
    writeFileSync(files.certificate, made.cert);
    writeFileSync(files.key, made.private);
    return files;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
