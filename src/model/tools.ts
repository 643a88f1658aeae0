/** How the names of tools begin that a server of the Model Context Protocol offers. */
export const serverToolPrefix = "mcp_";
