/* Text in XML and HTML. */
#ifndef REPORT_XML_H
#define REPORT_XML_H

#include <stdio.h>

/* Writes `text` with what means something to XML 1.0 as entities, and control characters that it does not
 * allow as blanks. */
void xml_text(FILE *out, const char *text);

#endif
