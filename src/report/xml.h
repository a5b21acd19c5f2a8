/* Text in XML, SVG and HTML. */
#ifndef REPORT_XML_H
#define REPORT_XML_H

#include <stddef.h>
#include <stdio.h>

/* Both functions accept any bytes. Characters that are special in XML 1.0 become entities; a byte that is not
 * UTF-8, or a character that XML does not allow, becomes U+FFFD. */

/* Writes the text of an element. */
void xml_text(FILE *out, const char *text);
/* Writes the value of an attribute, without its quotation marks ("). A reader gets tabs and newlines back. */
void xml_attribute(FILE *out, const char *value);

/* Writes JSON so that it cannot end the surrounding element <script> of HTML. Unicode's two line separators,
 * E2 80 A8 and E2 80 A9, are escaped as well, because JavaScript treats them as line ends and JSON does not. */
void xml_script_json(FILE *out, const char *json, size_t size);

#endif
