import { createTransport, type SendMailOptions } from 'nodemailer';
import request from 'supertest';
import type { Sandbox } from './sandbox.js';

export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly smtp: number;
}

export async function portsOf({ baseUrl }: Sandbox): Promise<Ports> {
  const { body } = await request(baseUrl).get('/api/ports').expect(200);
  return body as Ports;
}

interface Received {
  readonly to: string;
  readonly channel: string;
  readonly text: string;
  readonly code: string | null;
}

export async function inboxOf({ baseUrl }: Sandbox, to: string): Promise<Received[]> {
  const { body } = await request(baseUrl).get('/api/messages').query({ to }).expect(200);
  return body.messages;
}

/** Sends a mail over a new connection. */
export async function sendMail(
  sandbox: Sandbox,
  mail: SendMailOptions,
  { auth, timeoutMs }: { auth?: { user: string; pass: string; method?: string }; timeoutMs?: number } = {},
): Promise<void> {
  const { smtp } = await portsOf(sandbox);
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtp,
    ...(auth && { auth: { user: auth.user, pass: auth.pass }, authMethod: auth.method ?? 'PLAIN' }),
    ...(timeoutMs !== undefined && { socketTimeout: timeoutMs }),
  });
  try {
    await transport.sendMail({ from: 'Deposits <no-reply@deposits.example>', subject: 'Code', ...mail });
  } finally {
    transport.close();
  }
}
