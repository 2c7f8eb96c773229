import { Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** No call may take longer: the services have a deadline of less than two seconds. */
const LIMIT_MS = 20_000;

/** Sends requests unchanged over kept connections, and reads complete answers. */
export class Exchange {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 20 });

  /** @param baseUrl of the service, without a path */
  constructor(private readonly baseUrl: string) {}

  /** @throws Error when the connection is cut or the answer is late */
  async send(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Buffer,
  ): Promise<FuzzAnswer> {
    const { hostname, port } = new URL(this.baseUrl);
    return new Promise((resolve, reject) => {
      const call = request(
        {
          hostname,
          port,
          method: method.toUpperCase(),
          path: target,
          agent: this.agent,
          headers: { ...headers, ...(body ? { 'content-length': String(body.length) } : {}) },
          timeout: LIMIT_MS,
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              text: Buffer.concat(parts).toString(),
            }),
          );
        },
      );
      call.on('timeout', () => call.destroy(new Error('no answer in time')));
      call.on('error', reject);
      call.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
