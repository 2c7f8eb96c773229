import { recordEvidence } from '@fd/testing';
import { expectAllDeliveredWhileKilling } from '../../test/support/event-kills.js';

describe('ten thousand events of a partner', () => {
  it('all arrive, in the order of each user, while replicas are killed', async () => {
    const figures = await expectAllDeliveredWhileKilling({ waiting: 10_000, users: 500, kills: 6 });
    recordEvidence('events-never-lost', figures);
  });
});
