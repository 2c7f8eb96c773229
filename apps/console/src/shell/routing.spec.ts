import { hashOf, hashOfOldLink, routeOf, VIEWS } from './routing.js';

describe('routes of the console', () => {
  it.each(VIEWS)('returns an address for %s that leads back to it', (view) => {
    const params = { to: 'asha+fd@example.com', q: 'a & b' };
    expect(routeOf(hashOf(view, params))).toEqual({ view, params });
    expect(routeOf(hashOf(view))).toEqual({ view, params: {} });
  });

  it('omits empty values', () => {
    expect(hashOf('inbox', { to: '' })).toBe('#/inbox');
  });

  it.each(['', '#', '#/', '#/?issuer=kaveri'])('opens the journey for %j', (hash) => {
    expect(routeOf(hash).view).toBe('journey');
  });

  it.each(['#/nowhere', '#inbox/x', '#/Journey'])('knows no view for %j', (hash) => {
    expect(routeOf(hash).view).toBeUndefined();
  });

  it('keeps links to the messages of one person', () => {
    expect(hashOfOldLink('?to=919999900001')).toBe('#/inbox?to=919999900001');
    expect(hashOfOldLink('?to=')).toBe('#/inbox');
    expect(hashOfOldLink('')).toBeUndefined();
  });
});
