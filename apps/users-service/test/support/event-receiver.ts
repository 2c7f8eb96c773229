import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PartnerEventView } from '@fd/contracts';
import { eventsCommand } from '../../src/events/events.command.js';
import { PartnerEvents } from '../../src/events/outbox/partner-events.service.js';
import { partnerByUrl } from '../../src/identity/partners.command.js';
import { runCommand, toolsOf, WHO } from './operator.js';
import type { TestService, UsersApp } from './users-app.js';

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  /** As received, for its signature. */
  readonly body: string;
  readonly event: PartnerEventView;
}

type Behaviour = (response: ServerResponse, event: PartnerEventView) => void;

const accepts: Behaviour = (response) => response.writeHead(204).end();

/** The backend of a partner, over real HTTP. */
export class EventReceiver {
  /** Every try, in the order of arrival. */
  readonly tries: Delivery[] = [];
  behaviour: Behaviour = accepts;

  private readonly server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const event = JSON.parse(body) as PartnerEventView;
      this.tries.push({ headers: request.headers, body, event });
      this.behaviour(response, event);
    });
  });

  static async start(): Promise<EventReceiver> {
    const receiver = new EventReceiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  answers(status: number): void {
    this.behaviour = (response) => response.writeHead(status).end();
  }

  /** Events of a user, each try. */
  of(userId: string): PartnerEventView[] {
    return this.tries.map(({ event }) => event).filter(({ data }) => data.user_id === userId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Type and words of an event, in one line. */
export const briefly = ({ type, data: { issuer_code, step, status, reason_code } }: PartnerEventView) =>
  [type, issuer_code, step, status, reason_code].filter((word) => word !== null).join(' ');

/** Runs the command `events`; returns its output. */
const running =
  (isProduction: boolean) =>
  async (service: TestService, ...args: string[]): Promise<string> =>
    runCommand(
      eventsCommand(...toolsOf(service), () => isProduction, partnerByUrl),
      [...args, ...WHO],
    );

export const runEvents = running(false);
export const runEventsInProduction = running(true);

/** Lets a partner listen at once, on each replica; returns its secret. */
export async function listen(
  service: TestService,
  {
    url = service.partner.url,
    address,
    replicas = [],
  }: {
    url?: string;
    address?: string;
    replicas?: readonly UsersApp[];
  },
  ...args: string[]
): Promise<string> {
  const set = await runEvents(
    service,
    'set',
    '--url',
    url,
    ...(address ? ['--address', address] : []),
    ...args,
  );
  for (const { app } of [service, ...replicas]) await app.get(PartnerEvents).refresh();
  return /secret\t(\S+)/.exec(set)?.[1] ?? '';
}

/** A key of a partner's backend. */
export async function aBackendKey(service: TestService, url = service.partner.url): Promise<string> {
  return /key\t\S+\t(\S+)/.exec(await runEvents(service, 'add-key', '--url', url))![1]!;
}
