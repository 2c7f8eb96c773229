import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, createServer, isIP, type Socket } from 'node:net';
import { timeLimit } from '@fd/envelope';
import {
  AddressRefused,
  addressProblem,
  EventSender,
  isPublicAddress,
  publicLookup,
} from './event-sender.js';

const listening = async (server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}) => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
};

/** Spellings of addresses of this machine and of private networks, which a URL accepts as its host. */
const PRIVATE = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '0',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
  ],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '[::ffff:169.254.169.254]',
  ],
  ...[
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '224.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
  ],
  ...['192.0.2.1', '198.18.0.1', '240.0.0.1', '[2001:db8::1]', '127。0。0。1', '①27.0.0.1'],
];

describe('an address for events', () => {
  it.each(PRIVATE)('must be public: not %s', (host) => {
    expect(addressProblem(`https://${host}/events`, false)).toBe('must be public');
  });

  it.each([
    ['https://partner.example/events', undefined],
    ['https://partner.example:8443/events?kind=fd', undefined],
    ['https://93.184.216.34/', undefined],
    ['https://[2606:2800:220:1:248:1893:25c8:1946]/', undefined],
    ['http://partner.example/events', 'must begin with https://'],
    ['ftp://partner.example/events', 'must begin with https://'],
    ['https://user:word@partner.example/', 'must have no user, password or fragment'],
    ['https://partner.example/#part', 'must have no user, password or fragment'],
    ['partner.example', 'is no URL'],
    ['https://', 'is no URL'],
  ])('judges %s: %s', (address, problem) => {
    expect(addressProblem(address, false)).toBe(problem);
  });
});

const dnsError = (code: string) => Object.assign(new Error(code), { code });

/** A name server that gives these addresses, or fails for a family. */
const names = (found: readonly string[], failure: Readonly<Record<number, string>> = {}) => {
  const of = (family: number) => async () => {
    const own = found.filter((address) => isIP(address) === family);
    return own.length > 0 ? Promise.resolve(own) : Promise.reject(dnsError(failure[family] ?? 'ENODATA'));
  };
  return { resolve4: of(4), resolve6: of(6) };
};

const publicOne = { address: '93.184.216.34', family: 4 };
const publicSix = { address: '2606:2800:220:1:248:1893:25c8:1946', family: 6 };
const resolved = (found: readonly string[], failure?: Readonly<Record<number, string>>) =>
  new Promise((resolve) => {
    publicLookup(names(found, failure))('partner.example', { all: true }, (error, addresses) =>
      resolve(error ?? addresses),
    );
  });

describe('the look-up of a connection', () => {
  it('gives the addresses of a public host, of either family', async () => {
    expect(await resolved([publicSix.address, publicOne.address])).toEqual([publicOne, publicSix]);
    expect(await resolved([publicOne.address], { 6: 'ETIMEOUT' })).toEqual([publicOne]);
    expect(await resolved([publicSix.address], { 4: 'ESERVFAIL' })).toEqual([publicSix]);
  });

  it.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', '169.254.169.254', 'fe80::1'])(
    'refuses a name that has %s, also beside a public address',
    async (address) => {
      expect(await resolved([address])).toBeInstanceOf(AddressRefused);
      for (const { address: other } of [publicOne, publicSix])
        expect(await resolved([other, address])).toBeInstanceOf(AddressRefused);
    },
  );

  it('refuses a name at the connection at which it leads to a private address', async () => {
    const answers = [publicOne.address, '127.0.0.1', publicOne.address];
    const look = publicLookup({
      ...names([]),
      resolve4: () => Promise.resolve([answers.shift()!]),
    });
    const connection = () =>
      new Promise((resolve) => look('partner.example', {}, (error, address) => resolve(error ?? address)));
    expect(await connection()).toBe(publicOne.address);
    expect(await connection()).toBeInstanceOf(AddressRefused);
    expect(await connection()).toBe(publicOne.address);
  });

  it('fails as the name server does for a name without an address', async () => {
    expect(await resolved([])).toMatchObject({ code: 'ENODATA' });
    expect(await resolved([], { 4: 'ENOTFOUND', 6: 'ENOTFOUND' })).toMatchObject({ code: 'ENOTFOUND' });
  });

  it('delays no other look-up of the process while a name server does not answer', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${silent.address().port}`]);
    let ended = 0;
    const looks = Array.from(
      { length: 12 },
      (_, index) =>
        new Promise((resolve) => {
          publicLookup(resolver)(`partner-${index}.example`, {}, (error) => {
            ended++;
            resolve(error?.code);
          });
        }),
    );
    await lookup('localhost');
    expect(ended).toBe(0);
    // they were open until now
    resolver.cancel();
    expect(new Set(await Promise.all(looks))).toEqual(new Set(['ECANCELLED']));
    silent.close();
  });

  it('finds no IPv6 spelling of a private IPv4 address public', () => {
    for (const address of ['::ffff:127.0.0.1', '::ffff:192.168.0.1', '64:ff9b::a00:1', '2002:a00:1::'])
      expect([address, isPublicAddress(address)]).toEqual([address, false]);
  });
});

describe('EventSender', () => {
  let server: Server;
  let port: number;
  let seen: string[];
  let connections = 0;
  beforeAll(async () => {
    seen = [];
    server = createHttpServer((request, response) => {
      seen.push(request.url!);
      if (request.url === '/length')
        response.writeHead(request.headers['content-length'] === '2' ? 204 : 411).end();
      else if (request.url === '/redirect') response.writeHead(302, { location: '/elsewhere' }).end();
      else if (request.url === '/huge') response.writeHead(200).end('x'.repeat(5_000_000));
      else if (request.url === '/pours') {
        response.writeHead(200);
        const pour = setInterval(() => response.write('x'.repeat(10_000)), 1);
        response.on('close', () => clearInterval(pour));
      } else response.writeHead(204).end();
    });
    server.on('connection', () => connections++);
    port = await listening(server);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const post = (path: string, sender = new EventSender(true)) =>
    sender.post({ address: `http://127.0.0.1:${port}${path}`, headers: {}, body: '{}' });

  it('returns the status, and reads no endless answer', async () => {
    expect(await post('/')).toBe(204);
    expect(await post('/huge')).toBe(200);
    expect(await post('/pours')).toBe(200);
  });

  it('opens a connection for each event, so that each connection is checked', async () => {
    const sender = new EventSender(true);
    const before = connections;
    for (let posts = 0; posts < 3; posts++) expect(await post('/', sender)).toBe(204);
    expect(connections - before).toBe(3);
  });

  // the example backend takes no other delivery
  it('tells the length of the body', async () => {
    expect(await post('/length')).toBe(204);
  });

  it('follows no redirect', async () => {
    expect(await post('/redirect')).toBe(302);
    expect(seen).not.toContain('/elsewhere');
  });

  it('returns the status of a host that wants another protocol', async () => {
    const switching = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      );
    });
    const switchingPort = await listening(switching);
    const address = `http://127.0.0.1:${switchingPort}/`;
    expect(await new EventSender(true).post({ address, headers: {}, body: '{}' })).toBe(101);
    switching.close();
  });

  it('gives up a host that does not answer in 10 seconds', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    const silentPort = await listening(silent);
    const after = AbortSignal.timeout.bind(AbortSignal);
    const limits = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => after(ms / 1_000));
    const address = `http://127.0.0.1:${silentPort}/`;
    const sent = new EventSender(true).post({ address, headers: {}, body: '{}' });
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
    expect(limits).toHaveBeenCalledWith(timeLimit(10_000));
    limits.mockRestore();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('connects to no name of this machine, and to no address of it', async () => {
    const before = connections;
    const postTo = (host: string) =>
      new EventSender(false).post({ address: `https://${host}:${port}/`, headers: {}, body: '{}' });
    for (const host of ['127.0.0.1', '[::1]']) await expect(postTo(host)).rejects.toThrow(AddressRefused);
    // the name server of the machine decides how
    await expect(postTo('localhost')).rejects.toThrow();
    expect(connections).toBe(before);
  });
});
