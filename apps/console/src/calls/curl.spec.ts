import { execFileSync } from 'node:child_process';
import { curlOf, fetchOf } from './curl.js';

/** Returns the arguments into which a shell splits a command. */
const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

describe('a call as curl', () => {
  it('writes a curl command that a shell parses as the same call', () => {
    const body = { name: 'O\'Brien $HOME `id` \\ "', otp: '123456' };
    const headers = { 'content-type': 'application/json', authorization: 'Bearer a.b' };
    const words = wordsOf(curlOf({ method: 'POST', url: 'http://localhost:3001/a?b=c&d=e', headers, body }));
    expect(words).toEqual([
      'curl',
      '-i',
      'http://localhost:3001/a?b=c&d=e',
      ...['-H', 'content-type: application/json', '-H', 'authorization: Bearer a.b'],
      ...['-d', JSON.stringify(body)],
    ]);
  });

  it('adds -X for a method that is not curl’s default', () => {
    expect(curlOf({ method: 'DELETE', url: 'http://a/', headers: {} })).toBe("curl -i -X DELETE 'http://a/'");
    expect(curlOf({ method: 'GET', url: 'http://a/', headers: {} })).toBe("curl -i 'http://a/'");
  });
});

describe('a call as fetch', () => {
  it('writes JavaScript that makes the same call', () => {
    const request = {
      method: 'POST',
      url: 'http://a/?b="c"',
      headers: { authorization: 'Bearer a.b' },
      body: { d: "'" },
    };
    const written = fetchOf(request).replace(/^await fetch\((.*)\);$/s, '[$1]');
    const [url, init] = JSON.parse(written) as [string, { body: string }];
    expect([url, { ...init, body: JSON.parse(init.body) as unknown }]).toEqual([
      request.url,
      { method: 'POST', headers: request.headers, body: request.body },
    ]);
  });
});
