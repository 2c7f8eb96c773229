import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';

/** Whether a path, or user and password of a URL, can be decoded; one that was not encoded may have a % that begins no encoding. */
export function isDecodable(text: string): boolean {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}

export const NOT_DECODABLE = 'must have %25 for a % that begins no encoding, such as in a password';

/** PostgreSQL's driver also reads some passwords that are not encoded. */
export function isPostgresDecodable(url: string): boolean {
  try {
    return new pg.Client({ connectionString: url }).port > 0;
  } catch (error) {
    return (error as Error).name !== 'URIError';
  }
}

/** Whether the driver uses TLS and verifies certificate and name for this URL. Without an sslmode it does not. */
export function isPostgresEncrypted(url: string): boolean {
  try {
    const { ssl } = new pg.Client({ connectionString: url }) as { ssl: boolean | ConnectionOptions };
    if (typeof ssl !== 'object') return ssl;
    return ssl.rejectUnauthorized !== false && ssl.checkServerIdentity === undefined;
  } catch {
    // such as an unreadable file of certificates
    return false;
  }
}
