/**
 * Switches off the messages that libraries write for the variable DEBUG: ioredis writes commands with passwords, Express addresses
 * with personal data. Import it before all other modules, because they read the variable when they are loaded.
 */
delete process.env['DEBUG'];
