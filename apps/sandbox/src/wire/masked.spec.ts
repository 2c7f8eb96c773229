import { maskedBody, maskedHeaders, maskedPath } from './masked.js';

describe('masked credentials', () => {
  it.each([
    ['authorization', 'Bearer live-key', 'Bearer ***'],
    ['authorization', 'Basic bGl2ZTprZXk=', 'Basic ***'],
    ['authorization', 'live-key', '***'],
    ['x-client-secret', 'live-key', '***'],
    ['authkey', 'live-key', '***'],
    ['x-api-key', 'live-key', '***'],
    ['cookie', 'session=live-key', '***'],
    ['x-client-id', 'id', 'id'],
    ['idempotency-key', 'row-1', 'row-1'],
    ['fineract-platform-tenantid', 'vindhya', 'vindhya'],
  ])('shows the header %s: %s as %s', (name, value, shown) => {
    expect(maskedHeaders({ [name]: value, missing: undefined })).toEqual({ [name]: shown });
  });

  it.each([
    ['/a/b', '/a/b'],
    ['/a?user_id=u1&api_key=live-key&x=1', '/a?user_id=u1&api_key=***&x=1'],
    ['/a?q=what?&authkey=live-key', '/a?q=what?&authkey=***'],
  ])('shows the path %s as %s', (path, shown) => {
    expect(maskedPath(path)).toBe(shown);
  });

  it.each([
    ['{ "pan": "ABCPR1234K" }', '{ "pan": "ABCPR1234K" }'],
    ['{"a":{"clientSecret":"live-key"},"b":["x"]}', '{"a":{"clientSecret":"***"},"b":["x"]}'],
    ['{"access_token":{"value":"live-key"}}', '{"access_token":"***"}'],
    ['{"text":"your token is ready"}', '{"text":"your token is ready"}'],
    ['To=%2B91&auth_key=live-key', 'To=%2B91&auth_key=***'],
    ['{"password":"live-key', '***'],
    ['<password>live-key</password>', '***'],
    ['<h1>Welcome</h1>', '<h1>Welcome</h1>'],
  ])('shows the body %s as %s', (body, shown) => {
    expect(maskedBody(body)).toBe(shown);
  });
});
