import { shownBody, shownHeaders } from './secrets.js';

const SECRET = 'abcdefghijklmnopqrstuvwxyz';

describe('shortened secrets', () => {
  it('shortens only keys and tokens in headers', () => {
    const headers = { Authorization: `Bearer ${SECRET}`, apikey: SECRET, 'content-type': 'application/json' };
    expect(shownHeaders(headers)).toEqual({
      Authorization: 'Bearer abcdefghijkl…',
      apikey: 'abcdefghijkl…',
      'content-type': 'application/json',
    });
  });

  it('shortens tokens in bodies at any depth', () => {
    const body = { payload: { access_token: SECRET, user: [{ refresh_token: SECRET, name: SECRET }] } };
    const shown = { access_token: 'abcdefghijkl…', user: [{ refresh_token: 'abcdefghijkl…', name: SECRET }] };
    expect(shownBody(body)).toEqual({ payload: shown });
  });

  it.each([null, 'text', 7, [1, null]])('leaves %j alone', (body) => {
    expect(shownBody(body)).toEqual(body);
  });
});
