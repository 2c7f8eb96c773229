import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsFiles } from '@fd/testing';
import { opensslProgram } from './machine-programs.mjs';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A certificate authority that nobody but a test trusts. */
export class PrivateAuthority {
  private issued = 0;

  private constructor(
    private readonly openssl: (...args: string[]) => void,
    private readonly folder: string,
  ) {}

  static async create(): Promise<PrivateAuthority> {
    const program = await opensslProgram();
    const folder = mkdtempSync(join(tmpdir(), 'fd-certificates-'));
    const openssl = (...args: string[]) => void execFileSync(program, args, { cwd: folder, stdio: 'pipe' });
    openssl(
      ...['req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2'],
      ...['-subj', '/CN=An authority of a test'],
    );
    return new PrivateAuthority(openssl, folder);
  }

  /** Its own certificate: a file. */
  get file(): string {
    return join(this.folder, 'ca.pem');
  }

  /** @param name as `IP:127.0.0.1` or `DNS:localhost`. @param days of validity from now on; below 0: it is over */
  issue(name: string, days = 2): TlsFiles {
    const [key, request, certificate, extension] = ['key', 'csr', 'pem', 'ext'].map(
      (ending) => `server-${this.issued}.${ending}`,
    ) as [string, string, string, string];
    this.issued++;
    writeFileSync(join(this.folder, extension), `subjectAltName=${name}\n`);
    this.openssl('req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', '/CN=A store');
    this.openssl(
      ...['x509', '-req', '-in', request, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', String(days), '-extfile', extension, '-out', certificate],
    );
    return { certificate: join(this.folder, certificate), key: join(this.folder, key), ca: this.file };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
