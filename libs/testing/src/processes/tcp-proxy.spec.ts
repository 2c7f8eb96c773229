import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from '../eventually.js';
import { TcpProxy } from './tcp-proxy.js';

describe('TcpProxy', () => {
  let echo: Server;
  let store: string;
  let proxy: TcpProxy;
  beforeAll(async () => {
    echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    store = `redis://user@127.0.0.1:${(echo.address() as AddressInfo).port}/3`;
    proxy = await TcpProxy.before(store);
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    await proxy.close();
    echo.close();
  });

  /** Writes bytes at once; a reset may come before the connection is established. */
  function dial(url = proxy.url): { socket: Socket; heard: () => string } {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let heard = '';
    socket.on('data', (part) => (heard += part.toString()));
    socket.on('error', () => undefined);
    return { socket, heard: () => heard };
  }

  it('returns the URL of the store with another address', () => {
    expect(proxy.url).toMatch(/^redis:\/\/user@127\.0\.0\.1:\d+\/3$/);
  });

  it('forwards bytes', async () => {
    const { socket, heard } = dial();
    socket.write('hello');
    await eventually(() => expect(heard()).toBe('hello'));
    socket.destroy();
  });

  it('resets existing and new connections when it is cut', async () => {
    const { socket } = dial();
    proxy.cut();
    await eventually(() => expect(socket.destroyed).toBe(true));
    const late = dial();
    await eventually(() => expect(late.socket.destroyed).toBe(true));
  });

  it('holds all bytes while frozen, and forwards them once healed', async () => {
    const { socket, heard } = dial();
    proxy.freeze();
    socket.write('later');
    const late = dial();
    late.socket.write('later');
    // the same way without the fault, and later
    const open = await TcpProxy.before(store);
    const other = dial(open.url);
    other.socket.write('now');
    await eventually(() => expect(other.heard()).toBe('now'));
    await open.close();
    expect([heard(), late.heard()]).toEqual(['', '']);
    proxy.heal();
    await eventually(() => expect([heard(), late.heard()]).toEqual(['later', 'later']));
    socket.destroy();
    late.socket.destroy();
  });

  it('silences existing connections, and forwards new ones', async () => {
    const lost = dial();
    await eventually(() => expect(lost.socket.connecting).toBe(false));
    lost.socket.write('a');
    await eventually(() => expect(lost.heard()).toBe('a'));
    proxy.loseExisting();
    lost.socket.write('b');
    const fresh = dial();
    fresh.socket.write('c');
    await eventually(() => expect(fresh.heard()).toBe('c'));
    expect(lost.heard()).toBe('a');
    lost.socket.destroy();
    fresh.socket.destroy();
  });

  it('hides from the store that a client has left a silenced connection', async () => {
    const arrival = once(echo, 'connection') as Promise<[Socket]>;
    const { socket, heard } = dial();
    socket.write('hello');
    await eventually(() => expect(heard()).toBe('hello'));
    const [atStore] = await arrival;
    proxy.loseExisting();
    socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(atStore.readableEnded || atStore.destroyed).toBe(false);
  });

  it('delays answers', async () => {
    proxy.slowDown(150);
    const { socket, heard } = dial();
    const startedAt = performance.now();
    socket.write('slow');
    await eventually(() => expect(heard()).toBe('slow'));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149);
    socket.destroy();
  });

  it('aborts answers in the middle', async () => {
    const { socket, heard } = dial();
    await eventually(() => expect(socket.connecting).toBe(false));
    proxy.breakOff(2);
    socket.write('hello');
    await eventually(() => expect(socket.destroyed).toBe(true));
    expect('he'.startsWith(heard())).toBe(true);
  });

  it('redirects new connections to another server', async () => {
    const before = dial();
    before.socket.write('a');
    await eventually(() => expect(before.heard()).toBe('a'));
    const other = createServer((socket) => void socket.end('other')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const home = proxy.url;
    proxy.redirect(`redis://127.0.0.1:${(other.address() as AddressInfo).port}`);
    expect(proxy.url).toBe(home.replace('user@', '').replace('/3', ''));
    const after = dial();
    await eventually(() => expect(after.heard()).toBe('other'));
    before.socket.write('b');
    await eventually(() => expect(before.heard()).toBe('ab'));
    for (const { socket } of [before, after]) socket.destroy();
    other.close();
  });
});
