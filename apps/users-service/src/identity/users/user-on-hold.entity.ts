import { ViewColumn, ViewEntity } from 'typeorm';

/**
 * A user for whom no call to a provider begins: an operator has blocked the user, or disabled all partners whose terms the user has
 * accepted. A view, for the joins of domains above this one; a migration makes it.
 */
@ViewEntity({ name: 'users_on_hold', synchronize: false })
export class UserOnHold {
  @ViewColumn() userId: string;
}
