"""The dashboards as a local web page: a server for this machine alone, and the page that it sends."""
